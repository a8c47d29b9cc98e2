# srt#596: a rule on /tmp itself never matches
allow write /tmp/work/x
allow write /private/tmp/work/x
deny  write /private/tmp/x
deny  write /tmp/work/not-yet
deny  create /tmp/work/NOT-yet
deny  create /tmp/work/Not-Yet/x
allow create /tmp/work/not-yet2
deny  read /etc/passwords
deny  read /private/etc/passwords
allow read /etc/hosts
deny  read /var/db/secret/x
deny  read /System/Volumes/Data/private/var/db/secret/x
deny  renamedir /tmp/work /Users/a/p/k
