allow write /Users/a/p/one/x
deny  write /Users/a/p/two/x
deny  write /Users/a/p/x
deny  read /Users/a/secret/x
deny  read /System/Volumes/Data/Users/a/secret/x
allow read /Users/a/p/two/x
deny  create /Users/a/p/one/.git/hooks/x
deny  renamedir /Users/a/p/one /tmp/srun-501/abcdefgh/k
