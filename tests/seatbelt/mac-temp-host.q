allow create /private/tmp/x
allow create /tmp/x
deny  create /private/var/folders/x/y/T/other
deny  read /tmp/srun-501/another/x
deny  renamedir /private/tmp /Users/a/p/k
