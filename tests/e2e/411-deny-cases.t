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
	denied "EROFS|EISDIR|EEXIST|EACCES" "R022: $f in the home, from a directory below it" -- \
		"$TRY" create "$H/$f"
	held "R022: and written" "EROFS|EISDIR|EACCES" "$TRY" write-text "$H/$f" x
done
denied EROFS "R022: .bashrc in the working directory, where there is one" -- "$TRY" append .bashrc

fresh
make_repository "$W"
grant <<-END
	[filesystem]
	allow_write = $W
END
run srun_run -q -- sh -c 'git init -q sub && git clone -q . sub2 && git -C sub2 log -1 --format=%s'
is "R024: nested init and clone work" "$rc $out" "0 one"
for d in sub sub2; do
	denied EROFS "R024: $d has its hooks locked afterwards" -- "$TRY" create "$W/$d/.git/hooks/new"
	denied EROFS "R024: and its configuration" -- "$TRY" append "$W/$d/.git/config"
done
rm -rf sub sub2

before
denied "EXDEV|EROFS" "R026: a file renamed into the hooks" -- "$TRY" rename "$W/one" "$W/.git/hooks/pre-commit"
denied "EXDEV|EROFS" "R026: linked into them" -- "$TRY" link "$W/one" "$W/.git/hooks/p2"
denied EROFS "R026: a symbolic link in them" -- "$TRY" symlink /tmp/e "$W/.git/hooks/p3"
run srun_run -q -- git config core.hooksPath /tmp/e
isnt "R026: git config core.hooksPath" "$rc" 0
unchanged "R026: the host is as it was"

cp -a "$W" "$D/copy"
run srun_run -q -- rm -rf .git
isnt "R028: rm -rf .git: says that something stays" "$rc" 0
check "R028: the hooks and the configuration stay" test -f .git/config -a -d .git/hooks
check_not "R028: history is not protected" git --git-dir=.git log -1
fresh
make_repository "$W"
# A grant that wants the history kept says so.
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/.git
END
run srun_run -q -- rm -rf .git
is "R028: with deny_write it survives" "$(git --git-dir=.git log -1 --format=%s)" one

rm -rf .git/hooks
mkdir evil
grant <<-END
	[filesystem]
	allow_write = $W
END
run srun_run -q -- sh -c 'rmdir .git/hooks; ln -s ../evil .git/hooks; rm -rf .git/hooks; mv evil .git/hooks'
check_not "R030: no hooks on the host, by a link or otherwise" test -e .git/hooks -o -L .git/hooks
rmdir evil

mkdir -p "$H/.claude/debug"
grant <<-END
	[filesystem]
	allow_write = $H/.claude/debug, $H
END
allowed "R032: a grant beside what is protected has its effect" -- "$TRY" create "$H/.claude/debug/p"
denied "EEXIST|EROFS" "R032: and what is protected is so" -- "$TRY" create "$H/.claude/settings.json"

# ---- links ----
fresh
ln -s /usr/lib/os-release "$H/.bashrc"
ln -s /absent/x "$H/.profile"
grant <<-END
	[filesystem]
	allow_write = $H
END
before
refused "R033: start-up files that are links: by name, with what to do" \
	"'$H/\\.(bashrc|profile)' is a link.*\\[.*allow_write" -f "$T/grant.ini" -- true
unchanged "R033: the links are as they were"
grant <<-END
	[filesystem]
	allow_write = $H/work
END
mkdir "$H/work"
run srun_run -q -- "$TRY" unlink "$H/.bashrc"
is "R033: a grant below the home starts, and they stay" "$rc $out" "1 EROFS"

make_repository "$D/meta"
mkdir tree
cd tree || exit 1
ln -s "$D/meta/.git" .git
grant <<-END
	[filesystem]
	allow_write = $W/tree
END
refused "R035: a .git that is a link out of the root: by name" "'$W/tree/\\.git' is a link" -f "$T/grant.ini" -- true
rm .git
echo "gitdir: $D/meta/.git" >.git
run srun_run -q -- git log -1 --format=%s
is "R035: as a file it works" "$rc $out" "0 one"
denied EROFS "R035: and the hooks there are not written" -- "$TRY" create "$D/meta/.git/hooks/new"
cd "$W" || exit 1

mkdir "$D/real"
ln -s "$D/real" "$D/tmp"
grant <<-END
	[filesystem]
	allow_write = $D/tmp
END
allowed "R037: a granted link: by its name" -- "$TRY" create "$D/tmp/a"
allowed "R037: and by where it leads" -- "$TRY" create "$D/real/b"

mkdir -p d/x e
echo f >e/f
grant <<-END
	[filesystem]
	allow_write = $W/d/
	deny_write = $W/d/x/
	allow_read = $W//e/./f
	write_working_directory = no
END
allowed "R041: a slash at the end of a grant" -- "$TRY" create "$W/d/a"
denied EROFS "R041: and of a deny" -- "$TRY" create "$W/d/x/a"
allowed "R041: slashes and dots inside" -- "$TRY" open-read "$W/e/f"

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
	is "R043: a link and the directory of its target, both granted" "$rc $out" "0 rc
rc"
done

mkdir -p "$base/like/two" a/b
grant <<-END
	[filesystem]
	allow_write = $W/../like/two, $W/./a//b/..
	write_working_directory = no
END
allowed "R047: '..' in a root" -- "$TRY" create "$base/like/two/x"
allowed "R047: in the middle" -- "$TRY" create "$W/a/x"
denied EROFS "R047: what is beside it is not granted" -- "$TRY" create "$base/like/x"
rm -r "$base/like"

# ---- names that do not exist, and leftovers ----
fresh
grant <<-END
	[filesystem]
	allow_write = $W
END
for c in true false 'exit 3'; do
	srun_run -q -- sh -c "$c"
	is "R048: nothing is left after '$c'" "$(find .)" .
done
make_repository "$W"
run srun_run -q -- git status --porcelain --ignored --untracked-files=all
is "R050: git status inside is clean" "$rc $out" "0 "
run srun_run -q -- sh -c 'find . -path ./.git -prune -o ! -type d -print'
is "R050: what is held is nothing but directories" "$out" "./one"
"$SRUN" -q -f "$T/grant.ini" -- sh -c 'until [ -e go ]; do sleep 0.05; done' &
pid=$!
wait_for 10 test -d .envrc
is "R050: git status on the host too, while it runs" "$(git status --porcelain --ignored --untracked-files=all)" ""
git add -A
is "R050: and git add -A there adds nothing" "$(git status --porcelain)" ""
touch go
wait "$pid"
rm go
fresh
srun_run -q -- true
check "R052: git init on the host after a run" git init -q "$W"
rm -rf .git
run srun_run -q -- sh -c 'git init -q && git status --porcelain'
is "R052: git init inside" "$rc $out" "0 "
rm -rf .git
echo x >other
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/.npmrc
END
denied "EEXIST|EROFS|EISDIR" "R054: a denied missing name made" -- "$TRY" create "$W/.npmrc"
denied "EEXIST|EROFS" "R054: as a link" -- "$TRY" symlink /tmp/x "$W/.npmrc"
denied "EBUSY|EXDEV|EISDIR" "R054: by a rename" -- "$TRY" rename "$W/other" "$W/.npmrc"
check_not "R054: the host shows none" test -e .npmrc

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
	is "R056: a .git file: ${dir#"$base"/}" "$rc $out" "0 fine"
done
cd "$W/tree" || exit 1
grant <<-END
	[filesystem]
	allow_write = $W/tree, $D/main/.git
END
run srun_run -q -- sh -c 'echo x >x; git add x; git -c user.name=a -c user.email=a@b commit -q -m x && git log -1 --format=%s'
is "R058: with the common directory granted it commits" "$rc $out" "0 x"
C=$D/main/.git
denied EROFS "R058: not its hooks" -- "$TRY" create "$C/hooks/post-checkout"
run srun_run -q -- git config core.fsmonitor /tmp/e
isnt "R058: not its configuration" "$rc" 0
denied "EEXIST|EROFS|EACCES|EISDIR" "R058: not its attributes" -- "$TRY" create "$C/info/attributes"
mkdir "$H/.ssh"
mv "$C/objects" "$C/objects.away"
ln -s "$H/.ssh" "$C/objects"
denied EROFS "R062: objects that are a link lead nowhere" -- "$TRY" create "$H/.ssh/x"
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
is "R060: config.worktree is read" "$rc $out" "0 c"
held "R060: and not written" EROFS "$TRY" append "$W/.git/config.worktree"

# ---- two at once ----
for n in 1 2; do
	"$SRUN" -q -f "$T/grant.ini" -- sh -c 'echo '"$n"' >"$TMPDIR/f"; sleep 1; cat "$TMPDIR/f"' >"$T/temp.$n" &
done
wait
is "R223: each reads its own" "$(cat "$T/temp.1" "$T/temp.2")" "1
2"

done_testing
