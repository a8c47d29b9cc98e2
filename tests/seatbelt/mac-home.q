# the whole home is a root: what starts shells and steers tools stays as it is
allow write /Users/a/x
allow create /Users/a/notes/y
deny  create /Users/a/.zshrc
deny  create /Users/a/.ZSHENV
deny  create /Users/a/.ssh/authorized_keys
deny  write /System/Volumes/Data/Users/a/.ssh/config
deny  create /Users/a/.config/fish/config.fish
deny  create /Users/a/.config/GIT/config
deny  create /Users/a/.npmrc
deny  create /Users/a/.config/nvim/init.lua
deny  create /Users/a/.local/share/applications/x.desktop
deny  create /Users/a/.cargo/config.toml
deny  create /Users/a/.gnupg/gpg-agent.conf
allow create /Users/a/.config/other/file
allow create /Users/a/.cargo/registry/x
deny  renamedir /Users/a/evil /Users/a/.config
deny  renamedir /Users/a/.config /Users/a/c
deny  renamedir /Users/a/.local/share /Users/a/c
deny  renamedir /Users/a/.ssh /Users/a/c
deny  renamedir /Users/a /Users/b
deny  create /Users/a/p/.git/hooks/x
deny  link /Users/a/.ssh/id_rsa /Users/a/k
allow link /Users/a/x /Users/a/y
allow create /Users/a/p/.npmrc-old
# in the home only
allow create /Users/a/sub/.npmrc
deny  link /Users/a/.bashrc /Users/a/k
deny  link /Users/a/.config/hypr/x /Users/a/k
deny  link /Users/a/.gitconfig /Users/a/k
deny  link /Users/a/.config/nvim/x /Users/a/k
