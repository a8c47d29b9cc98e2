allow write /Users/a/p/.git/config
allow write /Users/a/p/sub/.git/config
deny  write /Users/a/p/.git/config.worktree
deny  create /Users/a/p/.git/hooks/x
deny  write /Users/a/p/.git/modules/m/config
deny  create /Users/a/p/.bashrc
deny  renamedir /Users/a/p/.git /Users/a/p/g
