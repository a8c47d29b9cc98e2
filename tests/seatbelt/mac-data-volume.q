allow write /System/Volumes/Data/Users/a/other/x
deny  write /System/Volumes/Data/Users/a/other/keep/x
deny  write /Users/a/other/keep/x
deny  create /System/Volumes/Data/Users/a/other/.git/hooks/x
deny  renamedir /System/Volumes/Data/Users/a/other /Users/a/p/k
allow write /Users/a/p/x
deny  write /System/Volumes/Data/Users/a/x
