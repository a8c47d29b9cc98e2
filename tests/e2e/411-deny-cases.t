#!/bin/sh
# deny-cases: what people reported of other tools that do this job, as inputs. The id before
# each name is the report's in the list that the tests go by.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

# fresh: W, D and H as at the start.
fresh() {
	cd / && rm -rf "$W" "$D" "$H" && mkdir "$W" "$D" "$H" && cd "$W" || exit 1
}

# ---- the mandatory deny set ----
mkdir -p "$H/a/b"
cd "$H/a/b" || exit 1
echo one >.bashrc
grant <<-END
	[filesystem]
	allow_write = $H
END
for f in .bashrc .zshrc .profile .gitconfig; do
	denied "EROFS|EISDIR|EEXIST|EACCES" "$f in the home, from a directory below it" -- \
		"$TRY" create "$H/$f"
	held "and written" "EROFS|EISDIR|EACCES" "$TRY" write-text "$H/$f" x
done
denied EROFS ".bashrc in the working directory, where there is one" -- "$TRY" append .bashrc

fresh
make_repository "$W"
grant <<-END
	[filesystem]
	allow_write = $W
END
run srun_run -q -- sh -c 'git init -q sub && git clone -q . sub2 && git -C sub2 log -1 --format=%s'
is "nested init and clone work" "$rc $out" "0 one"
for d in sub sub2; do
	denied EROFS "$d has its hooks locked afterwards" -- "$TRY" create "$W/$d/.git/hooks/new"
	denied EROFS "and its configuration" -- "$TRY" append "$W/$d/.git/config"
done
rm -rf sub sub2

before
denied "EXDEV|EROFS" "a file renamed into the hooks" -- "$TRY" rename "$W/one" "$W/.git/hooks/pre-commit"
denied "EXDEV|EROFS" "linked into them" -- "$TRY" link "$W/one" "$W/.git/hooks/p2"
denied EROFS "a symbolic link in them" -- "$TRY" symlink /tmp/e "$W/.git/hooks/p3"
run srun_run -q -- git config core.hooksPath /tmp/e
isnt "git config core.hooksPath" "$rc" 0
unchanged "the host is as it was"

cp -a "$W" "$D/copy"
run srun_run -q -- rm -rf .git
isnt "rm -rf .git: says that something stays" "$rc" 0
check "the hooks and the configuration stay" test -f .git/config -a -d .git/hooks
check_not "history is not protected" git --git-dir=.git log -1
fresh
make_repository "$W"
# A grant that wants the history kept says so.
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/.git
END
run srun_run -q -- rm -rf .git
is "with deny_write it survives" "$(git --git-dir=.git log -1 --format=%s)" one

rm -rf .git/hooks
mkdir evil
grant <<-END
	[filesystem]
	allow_write = $W
END
run srun_run -q -- sh -c 'rmdir .git/hooks; ln -s ../evil .git/hooks; rm -rf .git/hooks; mv evil .git/hooks'
check_not "no hooks on the host, by a link or otherwise" test -e .git/hooks -o -L .git/hooks
rmdir evil

mkdir -p "$H/.claude/debug"
grant <<-END
	[filesystem]
	allow_write = $H/.claude/debug, $H
END
allowed "a grant beside what is protected has its effect" -- "$TRY" create "$H/.claude/debug/p"
denied "EEXIST|EROFS" "and what is protected is so" -- "$TRY" create "$H/.claude/settings.json"

# ---- links ----
fresh
ln -s /usr/lib/os-release "$H/.bashrc"
ln -s /absent/x "$H/.profile"
grant <<-END
	[filesystem]
	allow_write = $H
END
before
refused "start-up files that are links: by name, with what to do" \
	"'$H/\\.(bashrc|profile)' is a link.*\\[.*allow_write" -f "$T/grant.ini" -- true
unchanged "the links are as they were"
grant <<-END
	[filesystem]
	allow_write = $H/work
END
mkdir "$H/work"
run srun_run -q -- "$TRY" unlink "$H/.bashrc"
is "a grant below the home starts, and they stay" "$rc $out" "1 EROFS"

make_repository "$D/meta"
mkdir tree
cd tree || exit 1
ln -s "$D/meta/.git" .git
grant <<-END
	[filesystem]
	allow_write = $W/tree
END
refused "a .git that is a link out of the root: by name" "'$W/tree/\\.git' is a link" -f "$T/grant.ini" -- true
rm .git
echo "gitdir: $D/meta/.git" >.git
run srun_run -q -- git log -1 --format=%s
is "as a file it works" "$rc $out" "0 one"
denied EROFS "and the hooks there are not written" -- "$TRY" create "$D/meta/.git/hooks/new"
cd "$W" || exit 1

mkdir "$D/real"
ln -s "$D/real" "$D/tmp"
grant <<-END
	[filesystem]
	allow_write = $D/tmp
END
allowed "a granted link: by its name" -- "$TRY" create "$D/tmp/a"
allowed "and by where it leads" -- "$TRY" create "$D/real/b"

mkdir -p d/x e
echo f >e/f
grant <<-END
	[filesystem]
	allow_write = $W/d/
	deny_write = $W/d/x/
	allow_read = $W//e/./f
	write_working_directory = no
END
allowed "a slash at the end of a grant" -- "$TRY" create "$W/d/a"
denied EROFS "and of a deny" -- "$TRY" create "$W/d/x/a"
allowed "slashes and dots inside" -- "$TRY" open-read "$W/e/f"

mkdir "$H/.vim"
echo rc >"$H/.vim/rc"
ln -s .vim/rc "$H/.vimrc"
for order in "$H/.vimrc, $H/.vim" "$H/.vim, $H/.vimrc"; do
	grant <<-END
		[filesystem]
		deny_read = $H
		allow_read = $order
	END
	run srun_run -q -- sh -c 'cat "$HOME/.vimrc" && ls "$HOME/.vim"'
	is "a link and the directory of its target, both granted" "$rc $out" "0 rc
rc"
done

mkdir -p "$base/like/two" a/b
grant <<-END
	[filesystem]
	allow_write = $W/../like/two, $W/./a//b/..
	write_working_directory = no
END
allowed "'..' in a root" -- "$TRY" create "$base/like/two/x"
allowed "in the middle" -- "$TRY" create "$W/a/x"
denied EROFS "what is beside it is not granted" -- "$TRY" create "$base/like/x"
rm -r "$base/like"

# ---- names that do not exist, and leftovers ----
fresh
grant <<-END
	[filesystem]
	allow_write = $W
END
for c in true false 'exit 3'; do
	srun_run -q -- sh -c "$c"
	is "nothing is left after '$c'" "$(find .)" .
done
make_repository "$W"
run srun_run -q -- git status --porcelain --ignored --untracked-files=all
is "git status inside is clean" "$rc $out" "0 "
run srun_run -q -- sh -c 'find . -path ./.git -prune -o ! -type d -print'
is "what is held is nothing but directories" "$out" "./one"
"$SRUN" -q -f "$T/grant.ini" -- sh -c 'until [ -e go ]; do sleep 0.05; done' &
pid=$!
wait_for 10 test -d .envrc
is "git status on the host too, while it runs" "$(git status --porcelain --ignored --untracked-files=all)" ""
git add -A
is "and git add -A there adds nothing" "$(git status --porcelain)" ""
touch go
wait "$pid"
rm go
fresh
srun_run -q -- true
check "git init on the host after a run" git init -q "$W"
rm -rf .git
run srun_run -q -- sh -c 'git init -q && git status --porcelain'
is "git init inside" "$rc $out" "0 "
rm -rf .git
echo x >other
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/.npmrc
END
denied "EEXIST|EROFS|EISDIR" "a denied missing name made" -- "$TRY" create "$W/.npmrc"
denied "EEXIST|EROFS" "as a link" -- "$TRY" symlink /tmp/x "$W/.npmrc"
denied "EBUSY|EXDEV|EISDIR" "by a rename" -- "$TRY" rename "$W/other" "$W/.npmrc"
check_not "the host shows none" test -e .npmrc

# ---- git and worktrees ----
fresh
make_repository "$D/main"
make_repository "$D/lib"
git -C "$D/main" worktree add -q "$W/tree" -b side
git -C "$D/main" -c protocol.file.allow=always submodule --quiet add "$D/lib" lib 2>/dev/null
for dir in "$W/tree" "$D/main/lib"; do
	cd "$dir" || exit 1
	grant <<-END
		[filesystem]
		allow_write = $dir
	END
	run srun_run -q -- sh -c 'git status --porcelain && echo fine'
	is "a .git file: ${dir#"$base"/}" "$rc $out" "0 fine"
done
cd "$W/tree" || exit 1
grant <<-END
	[filesystem]
	allow_write = $W/tree, $D/main/.git
END
run srun_run -q -- sh -c 'echo x >x; git add x; git -c user.name=a -c user.email=a@b commit -q -m x && git log -1 --format=%s'
is "with the common directory granted it commits" "$rc $out" "0 x"
C=$D/main/.git
denied EROFS "not its hooks" -- "$TRY" create "$C/hooks/post-checkout"
run srun_run -q -- git config core.fsmonitor /tmp/e
isnt "not its configuration" "$rc" 0
denied "EEXIST|EROFS|EACCES|EISDIR" "not its attributes" -- "$TRY" create "$C/info/attributes"
mkdir "$H/.ssh"
mv "$C/objects" "$C/objects.away"
ln -s "$H/.ssh" "$C/objects"
denied EROFS "objects that are a link lead nowhere" -- "$TRY" create "$H/.ssh/x"
rm "$C/objects"
mv "$C/objects.away" "$C/objects"
fresh
make_repository "$W"
git config extensions.worktreeConfig true
git config --worktree a.b c
grant <<-END
	[filesystem]
	allow_write = $W
END
run srun_run -q -- sh -c 'git status --porcelain && git config --get a.b'
is "config.worktree is read" "$rc $out" "0 c"
held "and not written" EROFS "$TRY" append "$W/.git/config.worktree"

# ---- two at once ----
for n in 1 2; do
	"$SRUN" -q -f "$T/grant.ini" -- sh -c 'echo '"$n"' >"$TMPDIR/f"; sleep 1; cat "$TMPDIR/f"' >"$T/temp.$n" &
done
wait
is "each reads its own" "$(cat "$T/temp.1" "$T/temp.2")" "1
2"

done_testing
