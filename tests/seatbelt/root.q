# True wherever /Users/a/p is a root.
allow write /Users/a/p/x
allow create /Users/a/p/sub/new
allow link /Users/a/p/x /Users/a/p/y
deny  create /Users/a/p/.bashrc
deny  link /Users/a/p/.BASH_profile /Users/a/p/k
deny  create /Users/a/p/sub/.envrc
deny  link /Users/a/p/sub/.idea/x /Users/a/p/k
deny  create /Users/a/p/.mcp.json
deny  link /Users/a/p/.claude/settings.json /Users/a/p/k
deny  create /Users/a/p/sub/opencode.json
deny  create /Users/a/p/.git/hooks/x
deny  create /Users/a/p/.git/commondir
deny  link /Users/a/p/.git/hooks/x /Users/a/p/k
deny  create /Users/a/p/sub/.git/modules/m/hooks/x
deny  link /Users/a/p/.git/modules/m/config /Users/a/p/k
deny  renamedir /Users/a/p/evil /Users/a/p/sub/.git
deny  renamedir /Users/a/p/.git /Users/a/p/g
deny  write /Users/a/p/sub/.git
deny  renamedir /Users/a/p/evil /Users/a/p/.git/info
deny  renamedir /Users/a/p/.git/info /Users/a/p/i
deny  renamedir /Users/a/p/.git/modules /Users/a/p/m
deny  renamedir /Users/a/p/evil /Users/a/p/.claude
deny  renamedir /Users/a/p/.claude /Users/a/p/c
deny  swap /Users/a/p/x /Users/a/p/.git/hooks/x
deny  swap /Users/a/p/.git /Users/a/p/evil
deny  swap /Users/a/p/x /Users/a/.zshrc
allow swap /Users/a/p/x /Users/a/p/y
