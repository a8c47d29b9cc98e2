allow exec /bin/ls
allow exec /opt/homebrew/bin/node
# reading
allow read /usr/bin/git
allow read /Users/a/p/x
deny  read /Users/a/.ssh/id_rsa
deny  read /System/Volumes/Data/Users/a/.ssh/id_rsa
deny  readdir /Users/a/.ssh
deny  stat /Users/a/.ssh/id_rsa
allow statdir /Users/a/.ssh
allow read /Users/a/.ssh/known_hosts
deny  read /Users/a/.aws/credentials
deny  read /System/Volumes/Data/Users/a/.aws/credentials
deny  statdir /Users/a/.aws
deny  getxattr /Users/a/.aws/credentials
deny  op file-clone /Users/a/.aws/credentials
allow op file-clone /Users/a/.ssh/known_hosts
# writing
allow write /Users/a/p/x
allow create /Users/a/p/new
allow mkdir /Users/a/p/d
allow unlink /Users/a/p/x
allow rename /Users/a/p/x /Users/a/p/y
allow symlink /Users/a/p/l
allow chmod /Users/a/p/x
allow setxattr /Users/a/p/x
allow utimes /Users/a/p/x
allow link /Users/a/p/x /Users/a/p/z
allow clone /Users/a/p/x /Users/a/p/z
allow clone /usr/share/dict/words /Users/a/p/z
deny  write /Users/a/other
deny  create /Users/a/new
deny  write /private/etc/hosts
deny  create /private/var/folders/x/y/T/other
deny  write /tmp/other
deny  write /Users/a/p/vendor/deep/x
deny  write /Users/a/p/vendor/deep
allow write /Users/a/p/vendor/x
deny  rmdir /Users/a/p/vendor/deep
deny  renamedir /Users/a/p/vendor /Users/a/p/v2
# the mandatory set, in any case and at any depth
deny  write /Users/a/p/.git/config
deny  create /Users/a/p/.git/config.worktree
deny  create /Users/a/p/.git/commondir
deny  create /Users/a/p/.git/info/attributes
deny  create /Users/a/p/.git/hooks/pre-commit
deny  create /Users/a/p/sub/deep/.git/hooks/pre-commit
deny  create /Users/a/p/.git/modules/m/hooks/post-checkout
deny  create /Users/a/p/.git/modules/m/n/config
deny  write /Users/a/p/.git/worktrees/w/config.worktree
deny  create /Users/a/p/.GIT/HOOKS/pre-commit
# Hole: a name in other letters is another text and the same file (srt: .BASHRC).
deny  create /Users/a/p/.bashrc
deny  create /Users/a/p/.BASHRC
deny  create /Users/a/p/sub/.Zshrc
# Hole: a prepared directory is moved to the protected name (srt: sub/.git/hooks, sub/.git).
deny  renamedir /Users/a/p/evil /Users/a/p/sub/.git/hooks
deny  renamedir /Users/a/p/evil /Users/a/p/sub/.git
deny  renamedir /Users/a/p/evil /Users/a/p/.claude
deny  renamedir /Users/a/p/evil /Users/a/p/.git/modules/m
deny  renamedir /Users/a/p/evil /Users/a/p/.git/info
deny  rename /Users/a/p/x /Users/a/p/.mcp.json
deny  setxattr /Users/a/p/.git/config
deny  chmod /Users/a/p/.git/hooks/pre-commit
deny  create /Users/a/p/.vscode/tasks.json
deny  create /Users/a/p/deep/x.code-workspace
deny  create /Users/a/p/.claude/settings.json
deny  create /Users/a/p/.claude/commands/x.md
allow create /Users/a/p/.claude/notes.md
deny  create /Users/a/p/.envrc
deny  write /Users/a/p/.git
allow write /Users/a/p/.git/index
allow create /Users/a/p/.git/objects/aa/bb
allow create /Users/a/p/.git/modules/m/objects/aa/bb
allow create /Users/a/p/.gitignore
allow create /Users/a/p/hooks/pre-commit
allow create /Users/a/p/xbashrc
allow create /Users/a/p/.bashrc.orig
# Hole: moving the root, edited elsewhere and moved back (codex).
deny  renamedir /Users/a/p /private/tmp/srun-501/abcdefgh/p
deny  renamedir /Users/a/p/.git /Users/a/p/g
deny  renamedir /Users/a/p/sub/.git /Users/a/p/g
deny  renamedir /Users/a/p/.claude /Users/a/p/c
deny  renamedir /Users/a /Users/b
allow renamedir /Users/a/p/sub /Users/a/p/sub2
# Hole: reading by moving (srt#8).
deny  rename /Users/a/.ssh/id_rsa /Users/a/p/k
deny  renamedir /Users/a/.ssh /Users/a/p/k
# Hole: another name for the same file (all; unslothai/unsloth#10526).
deny  link /Users/a/.ssh/id_rsa /Users/a/p/k
deny  clone /Users/a/.ssh/id_rsa /Users/a/p/k
deny  link /Users/a/.zshrc /Users/a/p/k
deny  link /private/etc/hosts /Users/a/p/k
deny  link /Users/a/p/.git/config /Users/a/p/k
deny  link /Users/a/p/vendor/deep/x /Users/a/p/k
# the inherited terminal
allow devwrite /dev/tty
allow ioctl /dev/tty
allow devwrite /dev/ttys003
allow devread /dev/ttys003
allow ioctl /dev/ttys003
deny  tiocsti /dev/ttys003
deny  tiocsti /dev/tty
# no network
deny  tcp 127.0.0.1 40001
deny  tcp 1.1.1.1 443
deny  udp 8.8.8.8 53
deny  listen 127.0.0.1 3000
deny  bind 0.0.0.0 3000
deny  mach com.apple.trustd.agent
deny  unixconnect /var/run/mDNSResponder
deny  unixconnect /var/run/docker.sock
allow unixbind /private/tmp/srun-501/abcdefgh/ipc
allow unixconnect /private/tmp/srun-501/abcdefgh/ipc
deny  unixbind /Users/a/p/s.sock
# Known: a whole directory, made in the temporary one, brings what is in it. The exit check says it.
allow renamedir /private/tmp/srun-501/abcdefgh/repo /Users/a/p/repo
