deny  write /Users/a/x
allow write /Users/a/p/x
