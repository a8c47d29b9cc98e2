allow exec /bin/ls
deny  read /Users/a/.ssh/id_rsa
deny  read /Users/a/.aws/credentials
deny  link /Users/a/.aws/credentials /Users/a/p/k
allow write /Users/a/p/x
deny  write /Users/a/x
deny  tcp 1.1.1.1 443
deny  ioctl /dev/ttys003
deny  devwrite /dev/tty
