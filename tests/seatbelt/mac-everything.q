allow write /Users/b/x
allow write /private/etc/hosts
allow create /opt/x
deny  write /Users/a/keep/x
# the other spelling of the volume is writable here, so denies need it
deny  write /System/Volumes/Data/Users/a/keep/x
deny  renamedir /System/Volumes/Data/Users/a/keep /opt/k
deny  renamedir /Users/a/keep /Users/a/k
deny  renamedir /Users/a /Users/b
deny  renamedir /Users /U
deny  create /Users/a/.zshrc
deny  create /System/Volumes/Data/Users/a/.zshrc
deny  create /System/Volumes/Data/Users/a/.ssh/x
deny  create /opt/x/.git/hooks/y
deny  create /System/Volumes/Data/opt/x/.git/hooks/y
deny  devwrite /dev/disk1
deny  link /dev/disk1 /opt/k
deny  link /Users/a/keep/x /opt/k
