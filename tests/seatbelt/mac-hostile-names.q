deny  read /Users/a/q"uote/x
deny  read /Users/a/back\slash/x
deny  read /Users/a/par)(allow%20default)(/x
deny  read /Users/a/star*[1]?.+^$/x
deny  read /Users/a/a"))(allow%20default);/x
deny  write /private/etc/hosts
deny  tcp 1.1.1.1 443
allow read /Users/a/starx[1]?.+^$/x
allow read /Users/a/star*1?.+^$/x
allow read /Users/a/par
# both normal forms of one name
deny  read /Users/a/café/x
deny  read /Users/a/café/x
# a literal path with a bracket or a dot is that path (srt#596, srt#576)
allow write /Users/a/w[1]/x
deny  write /Users/a/w1/x
allow write /Users/a/w.2/x
deny  write /Users/a/wx2/x
deny  create /Users/a/w[1]/.git/hooks/x
deny  create /Users/a/w.2/.git/hooks/x
deny  renamedir /Users/a/w[1] /Users/a/p/k
