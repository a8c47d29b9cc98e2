#!/bin/sh
# deny-git: what git obeys in every git directory, wherever it is and whatever points to it.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
make_repository "$D/source"
make_repository "$W/nested/repo"
git init -q --bare "$W/bare.git"
git -c protocol.file.allow=always submodule --quiet add "$D/source" lib 2>/dev/null
git -c protocol.file.allow=always submodule --quiet add --name deep/name "$D/source" lib2 2>/dev/null
git -c protocol.file.allow=always submodule --quiet add --name deep/node_modules "$D/source" lib3 2>/dev/null
git commit -q -m modules
git worktree add -q "$D/node_modules" -b packages
git worktree add -q "$W/tree" -b side
git worktree add -q "$D/outside" -b out
mkdir -p my-hooks conf
echo text >other
git config core.hooksPath my-hooks
git config include.path ../conf/extra
git -C nested/repo config core.hooksPath "$W/absent-hooks"
git -C nested/repo config include.path "$W/absent.conf"
printf '[include]\n\tpath = second\n' >conf/extra
echo '[user]' >conf/second
grant <<-END
	[filesystem]
	allow_write = $W
END
before

# ---- every git directory ----
for g in .git nested/repo/.git bare.git .git/modules/lib .git/modules/deep/name .git/modules/deep/node_modules \
	.git/worktrees/tree .git/worktrees/node_modules; do
	case $g in *worktrees*) parts=config.worktree ;; *)
		parts='config.worktree commondir info/attributes'
		denied EROFS "$g: config" -- "$TRY" open-write "$W/$g/config"
		denied EBUSY "$g: config replaced as git does" -- "$ATTACK" replace "$W/$g/config"
		denied EROFS "$g: a hook" -- "$TRY" create "$W/$g/hooks/new"
		denied EBUSY "$g: other hooks" -- "$ATTACK" exchange "$W/$g/hooks" . post-checkout
		;;
	esac
	for p in $parts; do
		held "$g: $p written" "EROFS|EISDIR|EACCES" "$TRY" write-text "$W/$g/$p" x
		held "$g: $p removed" "EBUSY|EISDIR" "$TRY" unlink "$W/$g/$p"
	done
	denied EBUSY "$g: renamed" -- "$TRY" rename "$W/$g" "$W/$g.away"
	allowed "$g: objects can be made" -- "$TRY" create "$W/$g/new"
done
for d in .git/modules .git/modules/deep .git/worktrees nested nested/repo; do
	denied EBUSY "$d: renamed" -- "$TRY" rename "$W/$d" "$W/$d.away"
done
denied "EROFS|EBUSY" "commondir of a worktree" -- "$ATTACK" replace "$W/.git/worktrees/tree/commondir"

is "info/exclude inside has each held name once" "$(srun_run -q -c 'sort .git/info/exclude | uniq -d | grep ^/')" ''
is "and none of .git's own" "$(srun_run -q -c 'grep ^/.git/ .git/info/exclude')" ''
like "but those of the work tree" "$(srun_run -q -c 'cat .git/info/exclude')" '^/\.envrc$'

# ---- .git files ----
for f in lib/.git lib2/.git tree/.git; do
	denied EROFS "$f: rewritten" -- "$TRY" append "$W/$f"
	denied EBUSY "$f: replaced" -- "$ATTACK" replace "$W/$f"
	denied EBUSY "$f: removed" -- "$TRY" unlink "$W/$f"
done
denied "EBUSY" ".git swapped for a file" -- "$TRY" exchange "$W/.git" "$W/other"
denied EROFS ".gitmodules" -- "$TRY" append "$W/.gitmodules"

# ---- what a configuration names ----
denied EROFS "core.hooksPath: a hook in it" -- "$TRY" create "$W/my-hooks/pre-commit"
denied EBUSY "core.hooksPath: renamed" -- "$TRY" rename "$W/my-hooks" "$W/my-hooks.away"
denied "EROFS|EEXIST|EACCES" "core.hooksPath: one that is missing" -- "$TRY" mkdir "$W/absent-hooks"
denied EROFS "include.path: the file" -- "$TRY" append "$W/conf/extra"
denied EBUSY "include.path: its directory" -- "$TRY" rename "$W/conf" "$W/conf.away"
denied EROFS "include.path: what the included file includes" -- "$TRY" append "$W/conf/second"
denied "EROFS|EEXIST|EACCES" "include.path: one that is missing" -- "$TRY" create "$W/absent.conf"
run srun_run -q -- git -C "$W" config core.hooksPath "$W/evil"
isnt "git config cannot change it" "$rc" 0
run srun_run -q -- git -C "$W" config core.fsmonitor "$W/evil"
isnt "nor name a program" "$rc" 0
unchanged "the host is as it was"

# ---- by git's own authority on the host: nothing of the run is executed ----
srun_run -q -- sh -c '
	for d in .git nested/repo/.git .git/modules/lib; do
		echo "#!/bin/sh
		touch '"$T"'/pwned" >"$d/hooks/post-checkout"
		mkdir -p "$d/hooks"; echo ../evil >"$d/commondir"
		ln -s "$PWD/evil" "$d/hooks/post-merge"
	done
	mkdir evil; mv .git .g; mv nested n; rm -rf .git/hooks lib/.git
	git config --file .git/config core.fsmonitor "touch '"$T"'/pwned"
' >/dev/null 2>&1
rm -rf evil
unchanged "nothing was planted"
git -C "$W" status >/dev/null 2>&1
git -C "$W/nested/repo" checkout -q -b new 2>/dev/null
git -C "$W/lib" checkout -q -b new 2>/dev/null
check_not "and nothing that was planted ran" test -e "$T/pwned"

# ---- what no mount can hold is said at the end ----
run srun_run -- sh -c 'git init -q made; git init -q --bare emb/edded; mkdir deeper; echo x >deeper/.envrc'
like "a new repository is said" "$err" "made/.git' is a new git directory"
like "an embedded bare one too" "$err" "emb/edded' is a new git directory"
like "and a new name of the set" "$err" "deeper/.envrc' is new and belongs to the mandatory deny set"
run srun_run -- true
unlike "only once" "$err" new
denied EROFS "the next run holds them" -- "$TRY" create "$W/made/.git/hooks/new"
denied EROFS "bare ones too" -- "$TRY" append "$W/emb/edded/config"
rm -rf made emb deeper
mkdir -p target deep/er
echo x >deep/er/tool
mv .gitmodules "$T/modules"
run srun_run -- sh -c 'echo x >.gitmodules'
like "a new .gitmodules at the top is said" "$err" "'$W/.gitmodules' is new"
mv "$T/modules" .gitmodules
# A directory that has just changed is read anyway.
sleep 2.2
run srun_run -- chmod u+s deep/er/tool
like "a mode that makes an old file setuid is said" "$err" "deep/er/tool' is a new setuid file"
chmod u-s deep/er/tool
run srun_run -- sh -c 'ln -s ../target deep/.claude; echo x >target/settings.json'
like "a link that leads to a name of the set is said" "$err" "deep/.claude' is new"
refused "and the next run does not start with it" "deep/.claude' is a link" -f "$T/grant.ini" -- true
rm target/settings.json
run srun_run -- true
is "where it leads to nothing of the set it does, and says no more" "$rc $err" "0 "
rm -r target deep

run srun_run -- sh -c 'mkdir .git/rebase-merge && echo "exec touch pwned" >.git/rebase-merge/git-rebase-todo'
like "a rebase that would run commands is said" "$err" "git-rebase-todo' has commands"
rm -r .git/rebase-merge

# ---- allow_git_config lifts one file ----
grant <<-END
	[filesystem]
	allow_write = $W
	allow_git_config = yes
END
allowed "allow_git_config: config is written" -- "$ATTACK" replace "$W/.git/config"
denied EROFS "allow_git_config: hooks are not" -- "$TRY" create "$W/.git/hooks/new"
held "allow_git_config: commondir is not" "EROFS|EISDIR|EACCES" "$TRY" write-text "$W/.git/commondir" x

# ---- a linked worktree as the write root ----
cd "$D/outside" || exit 1
grant <<-END
	[filesystem]
	allow_write = $D/outside
	write_working_directory = no
END
run srun_run -- git status --short
is "a worktree alone: git reads" "$rc" 0
like "and the line that is missing is named" "$err$(srun_run --check 2>&1)" "allow_write = $W/.git"
denied EROFS "its .git file" -- "$TRY" append "$D/outside/.git"
grant <<-END
	[filesystem]
	allow_write = $D/outside, $W/.git
END
run srun_run -q -- sh -c 'echo x >new; git add new && git -c user.name=a -c user.email=a@b commit -q -m new'
is "with the main repository's directory it commits" "$rc" 0
denied EROFS "the main repository's hooks" -- "$TRY" create "$W/.git/hooks/new"
denied EROFS "and its config" -- "$TRY" append "$W/.git/config"
denied EROFS "and what its worktrees share" -- "$TRY" append "$W/.git/worktrees/outside/commondir"

done_testing
