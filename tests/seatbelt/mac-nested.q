deny  read /Users/a/work/x
deny  read /System/Volumes/Data/Users/a/work/x
allow read /Users/a/work/one/x
deny  read /Users/a/work/one/two/x
deny  read /System/Volumes/Data/Users/a/work/one/two/x
allow read /Users/a/work/one/two/three/x
allow read /Users/a/work/one/two/three/four/x
allow write /Users/a/work/one/two/three/x
deny  write /Users/a/work/one/two/three/four/x
deny  write /Users/a/work/one/two/x
deny  write /Users/a/work/one/x
allow statdir /Users/a/work
allow statdir /Users/a/work/one/two
deny  readdir /Users/a/work
deny  rename /Users/a/work/one/two/x /Users/a/work/one/two/three/k
deny  link /Users/a/work/one/two/x /Users/a/work/one/two/three/k
deny  link /Users/a/work/one/x /Users/a/work/one/two/three/k
allow clone /Users/a/work/one/x /Users/a/work/one/two/three/k
deny  renamedir /Users/a/work/one/two/three /Users/a/p/three
deny  create /Users/a/work/one/two/three/.git/hooks/x
