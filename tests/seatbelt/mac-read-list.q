allow read /usr/lib/x
allow read /System/Library/x
allow read /Users/a/lib/x
allow statdir /Users
allow statdir /Users/a
deny  readdir /Users
deny  readdir /Users/a
deny  read /Users/a/x
deny  read /private/etc/hosts
deny  exec /bin/ls
allow exec /usr/bin/env
deny  clone /Users/a/x /Users/a/p/k
deny  op file-clone /Users/a/x
allow clone /usr/lib/x /Users/a/p/k
deny  op file-clone /System/Volumes/Data/Users/a/x
allow write /Users/a/p/x
allow read /Users/a/p/x
# an open /System is not an open disk (agent-sandbox.nix)
deny  read /System/Volumes/Data/Users/a/x
deny  readdir /System/Volumes/Data
