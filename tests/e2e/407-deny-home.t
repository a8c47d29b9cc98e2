#!/bin/sh
# deny-home: what runs at login, at a prompt, in an editor, when the home is a write root;
# and roots that lie in the set themselves.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

export PATH="$H/.local/bin:$H/bin:$PATH"
mkdir -p "$H/.ssh" "$H/.config/fish" "$H/bin" "$H/.gnupg" "$H/project"
echo text | tee "$H/.bashrc" "$H/.ssh/config" "$H/.config/fish/config.fish" "$H/.npmrc" "$H/other" >/dev/null
grant <<-END
	[filesystem]
	allow_write = $H
END
before

for f in .bashrc .npmrc .ssh/config .config/fish/config.fish; do
	denied EROFS "$f: appended to" -- "$TRY" append "$H/$f"
done
for d in .ssh bin .config/fish; do
	denied EROFS "$d: a file in it made" -- "$TRY" create "$H/$d/new"
	denied EBUSY "$d: renamed" -- "$TRY" rename "$H/$d" "$H/$d.away"
done
denied EBUSY ".config, above it: renamed" -- "$TRY" rename "$H/.config" "$H/.config.away"
for n in .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin \
	.zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .pam_environment .xprofile \
	.xinitrc .xsession .gnupg/gpg.conf .gnupg/gpg-agent.conf .gnupg/dirmngr.conf \
	.gnupg/scdaemon.conf .gitconfig .config/autostart .config/systemd .config/environment.d \
	.pypirc .config/pip .pip .vimrc .vim .config/nvim .emacs .emacs.d .config/emacs .nanorc \
	.config/srun .bashrc.d .config/i3 .config/sway .config/hypr .config/plasma-workspace \
	.config/direnv .direnvrc .config/mise .tmux.conf .config/tmux .screenrc .lessfilter \
	.hgrc .config/hg; do
	denied "EEXIST|EROFS" "$n: made" -- "$TRY" create "$H/$n"
	held "$n: removed" "EBUSY|EISDIR" "$TRY" unlink "$H/$n"
	held "$n: renamed" EBUSY "$TRY" rename "$H/$n" "$H/$n.away"
done
# Where the directories above do not exist either, they are made and stay writable.
for n in .config/git/config .config/git/attributes .local/share/applications .local/share/dbus-1 \
	.local/share/systemd .local/share/direnv .cargo/config .cargo/config.toml .local/bin; do
	held "$n: made" EEXIST "$TRY" create "$H/$n"
	held "$n: renamed" EBUSY "$TRY" rename "$H/$n" "$H/$n.away"
done
held "beside them there is room" ok "$TRY" create "$H/.cargo/registry"
allowed "the rest of the home is writable" -- "$TRY" create "$H/.cache"
# Empty files stand in where git dies on a directory.
run srun_run -q -- git config --global --list
is "git reads its configuration" "$rc" 0
run srun_run -q -- git config --global core.fsmonitor evil
isnt "and cannot write it" "$rc" 0
unchanged "the host is as it was"

# ---- a configuration of the user's that names something in a write root ----
mkdir -p "$W/hooks"
git config --global core.hooksPath "$W/hooks"
git config --global include.path "$W/more"
grant <<-END
	[filesystem]
	allow_write = $W
END
denied EROFS "the user's core.hooksPath in a write root" -- "$TRY" create "$W/hooks/pre-commit"
denied "EEXIST|EROFS|EACCES" "the user's include.path, missing" -- "$TRY" create "$W/more"
rm "$H/.gitconfig"

# ---- variables of the host that put them elsewhere ----
mkdir -p "$D/cfg/fish" "$D/data" "$D/z" "$D/programs" "$D/cargo"
echo text | tee "$D/z/.zshrc" "$D/rc.sh" >/dev/null
grant <<-END
	[filesystem]
	allow_write = $D
END
before
(
	export XDG_CONFIG_HOME="$D/cfg" XDG_DATA_HOME="$D/data" ZDOTDIR="$D/z" CARGO_HOME="$D/cargo" \
		BASH_ENV="$D/rc.sh" ENV="$D/absent.sh" INPUTRC="$D/inputrc"
	denied EROFS "XDG_CONFIG_HOME: fish" -- "$TRY" create "$D/cfg/fish/config.fish"
	denied "EEXIST|EROFS|EACCES" "XDG_CONFIG_HOME: git, missing" -- "$TRY" mkdir "$D/cfg/git"
	denied "EEXIST|EROFS|EACCES" "XDG_CONFIG_HOME: autostart, missing" -- "$TRY" mkdir "$D/cfg/autostart"
	denied "EEXIST|EROFS|EACCES" "XDG_CONFIG_HOME: srun's own, missing" -- "$TRY" mkdir "$D/cfg/srun"
	denied "EBUSY" "XDG_CONFIG_HOME: renamed" -- "$TRY" rename "$D/cfg" "$D/cfg.away"
	denied "EEXIST|EROFS|EACCES" "XDG_DATA_HOME: missing" -- "$TRY" mkdir "$D/data/applications"
	denied EROFS "ZDOTDIR" -- "$TRY" append "$D/z/.zshrc"
	denied "EEXIST|EROFS|EACCES" "ZDOTDIR: missing" -- "$TRY" create "$D/z/.zshenv"
	denied "EEXIST|EROFS|EACCES" "CARGO_HOME" -- "$TRY" create "$D/cargo/config.toml"
	denied EROFS "BASH_ENV" -- "$TRY" append "$D/rc.sh"
	denied "EEXIST|EROFS|EACCES" "ENV, missing" -- "$TRY" create "$D/absent.sh"
	denied "EEXIST|EROFS|EACCES" "INPUTRC, missing" -- "$TRY" create "$D/inputrc"
	printf '%s %s\n' "$tests" "$failed" >"$T/counts"
)
read -r tests failed <"$T/counts"
unchanged "the host is as it was there too"

# ---- a link in PATH ----
ln -s "$D/programs" "$H/links"
export PATH="$H/links:$PATH"
denied EROFS "a directory of PATH, by where its link leads" -- "$TRY" create "$D/programs/ls"
grant <<-END
	[filesystem]
	allow_write = $H
END
refused "the link itself, where it could be replaced" "'$H/links' is a link" -f "$T/grant.ini" -- true
rm "$H/links"
denied "EEXIST|EROFS" "and while it is missing" -- "$TRY" create "$H/links"

# ---- a root that is the directory of an entry ----
mkdir -p "$W/.claude" "$W/.hg/store"
grant <<-END
	[filesystem]
	allow_write = $W/.claude, $W/.hg
	write_working_directory = no
END
before
denied "EEXIST|EROFS|EACCES" ".claude as a root: settings, missing" -- "$TRY" create "$W/.claude/settings.json"
denied "EEXIST|EROFS|EACCES" ".claude as a root: hooks, missing" -- "$TRY" mkdir "$W/.claude/hooks"
allowed "the rest of it" -- "$TRY" create "$W/.claude/debug"
denied "EEXIST|EROFS|EACCES" ".hg as a root: hgrc, missing" -- "$TRY" create "$W/.hg/hgrc"
grant <<-END
	[filesystem]
	allow_write = $W
END
for n in hgrc hgrc-not-shared sharedpath; do
	denied "EEXIST|EROFS|EACCES" ".hg/$n, missing" -- "$TRY" create "$W/.hg/$n"
done
allowed "the rest of .hg" -- "$TRY" create "$W/.hg/store/new"
unchanged "nothing is left of it"
rm -rf "$W/.hg" "$W/.claude"
allowed "where there is no .hg, one can be made" -- "$TRY" mkdir "$W/.hg"

# ---- roots in the set: they can have no effect ----
make_repository "$W/repo"
mkdir -p "$W/.vscode/sub" "$W/.codex/worktrees"
make_repository "$W/.codex/worktrees/project"
for r in "$H/.ssh" "$H/.ssh/config" "$H/.bashrc" "$H/.config/fish" "$H/.config/fish/config.fish" \
	"$W/.vscode" "$W/.vscode/sub" "$W/repo/.git/hooks" "$W/repo/.git/config" \
	"$W/repo/.git/hooks/pre-push.sample"; do
	grant <<-END
		[filesystem]
		allow_write = $r
		write_working_directory = no
	END
	refused "allow_write = ${r#"$base"/}" "has no effect: '.*' is in the mandatory deny set" \
		-f "$T/grant.ini" -- true
done
grant <<-END
	[filesystem]
	allow_write = $W/repo/.git/objects, $W/.codex/worktrees/project
	write_working_directory = no
END
allowed "a part of git that is not in the set" -- "$TRY" create "$W/repo/.git/objects/new"
allowed "a repository below a name of the set is a project" -- \
	"$TRY" create "$W/.codex/worktrees/project/new"
cd "$W/.vscode/sub" || exit 1
grant <<-END
	[filesystem]
	deny_read = $D
END
denied EROFS "a working directory in the set is read-only" -- "$TRY" create "$W/.vscode/sub/new"
like "and --check says so" "$(srun_run --check 2>&1)" "'$W/.vscode/sub' is read-only"
cd "$W/repo/.git/hooks" || exit 1
denied EROFS "also when it is git's" -- "$TRY" create "$W/repo/.git/hooks/new"

# The enclosing repository's configuration may name what is in the root.
mkdir -p "$W/repo/sub/hooks"
git -C "$W/repo" config core.hooksPath sub/hooks
cd "$W/repo/sub" || exit 1
denied EROFS "hooks of the repository around the working directory" -- \
	"$TRY" create "$W/repo/sub/hooks/new"

done_testing
