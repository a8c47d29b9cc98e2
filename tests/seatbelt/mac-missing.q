# Hole: a pattern that never matches its own name (gemini-cli: .env).
deny  read /Users/a/p/.env
deny  write /Users/a/p/.env
deny  create /Users/a/p/.env
deny  create /Users/a/p/.ENV
deny  rename /Users/a/p/x /Users/a/p/.Env
deny  create /Users/a/p/Make+file
deny  create /Users/a/p/MAKE+FILE
allow create /Users/a/p/Makeefile
allow create /Users/a/p/.envx
allow read /Users/a/p/Make+file
deny  create /Users/a/p/a/b/secret.TXT
deny  renamedir /Users/a/p/evil /Users/a/p/a
deny  renamedir /Users/a/p/evil /Users/a/p/A/B
allow create /Users/a/p/aa
allow create /Users/a/p/b/secret.txt
