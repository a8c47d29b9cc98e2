#!/bin/sh
# git-matrix: what people do with git all day, bare and under srun: the same exit status, the
# same answers, the same history; nothing else in the tree afterwards.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'

mkdir "$D/bare" "$D/run"
make_repository "$D/origin"
git -C "$D/origin" tag v1
git -C "$D/origin" checkout -q -b later
echo more >"$D/origin/more"
git -C "$D/origin" add more
git -C "$D/origin" commit -q -m more
git -C "$D/origin" checkout -q main
cat >"$T/grant.ini" <<-END
	[filesystem]
	allow_write = $D/run
	[sandbox]
	pass_env = GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_AUTHOR_DATE, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, GIT_COMMITTER_DATE, GIT_CONFIG_NOSYSTEM
END

# Paths differ between the two trees; without TERM git erases lines with blanks. What git
# would change in its configuration on the way (a deleted branch, a new submodule) is
# denied, and git says so and goes on.
plain_text() {
	sed -e "s|$D/bare|DIR|g; s|$D/run|DIR|g" -e 's/'"$(printf '\033')"'\[K//g; s/\r[ \r]*/\r/g' \
		-e '/could not write config file .*: Device or resource busy/d' \
		-e '/^warning: Update of config-file failed/d'
}

# step NAME SCRIPT: in both trees, in $dir below them.
dir=.
step() {
	bare_rc=0
	bare=$(cd "$D/bare/$dir" && sh -c "$2" 2>&1 </dev/null) || bare_rc=$?
	run_rc=0
	got=$(cd "$D/run/$dir" && srun_run -q -- sh -c "$2" 2>&1 </dev/null) || run_rc=$?
	bare=$(printf '%s' "$bare" | plain_text)
	got=$(printf '%s' "$got" | plain_text)
	if [ "$bare_rc $bare" = "$run_rc $got" ]; then
		ok "$1"
	else
		not_ok "$1"
		diag "bare: exit $bare_rc: $bare"
		diag "srun: exit $run_rc: $got"
	fi
}

# The whole of it: history, index, work tree, what git would say.
same_repository() {
	for tree in bare run; do
		(cd "$D/$tree/$dir" && {
			git log --all --graph --oneline --decorate
			git status --porcelain --ignored --untracked-files=all
			git stash list
			git branch -avv
			git worktree list
			git fsck 2>&1
			find . -name .git -prune -o -printf '%P %y %m\n' | sort
		}) 2>&1 | plain_text >"$T/state.$tree"
	done
	if cmp -s "$T/state.bare" "$T/state.run"; then
		ok "$1"
	else
		not_ok "$1"
		diag "$(diff "$T/state.bare" "$T/state.run" | head -n 20)"
	fi
}

step "init" 'git init -b main project'
step "clone" "git clone '$D/origin' cloned"
step "clone --bare" "git clone --bare '$D/origin' cloned.git"
dir=project
step "status of an empty one" 'git status'
step "add -A" 'echo a >a; mkdir d; echo b >d/b; git add -A; git status --short'
step "commit" 'git commit -m first'
step "commit -a" 'echo aa >>a; git commit -am second'
step "amend" 'git commit --amend -m "second, better"'
step "branch" 'git branch side; git branch -d side; git branch topic; git branch -av'
step "checkout" 'git checkout topic'
step "a commit on it" 'echo t >t; git add t; git commit -m topic'
step "checkout -b" 'git checkout -b other; git checkout main'
step "switch and restore" 'git switch topic; echo x >a; git restore a; git switch main'
step "stash" 'echo dirty >>a; git stash; git status --short; git stash pop'
step "stash -u" 'echo new >untracked; git stash -u; git status --short; git stash pop; rm untracked; git checkout a'
step "merge" 'echo m >m; git add m; git commit -m m; git merge topic -m merged'
step "a merge with a conflict" 'git checkout -b l; echo l >a; git commit -am l; git checkout -b r main; echo r >a; git commit -am r; git merge l'
step "and its end" 'git merge --abort; git status --short'
step "cherry-pick" 'git cherry-pick l -X theirs; git log --oneline -3'
step "rebase" 'git checkout l; git rebase main'
step "rebase -i with exec" 'GIT_SEQUENCE_EDITOR="sed -i -e \"1a exec touch executed\"" git rebase -i main~1; ls'
step "revert" 'git checkout -f main; git revert --no-edit HEAD~1 -m 1 2>&1; git status --short'
step "reset" 'git reset --hard HEAD; git reset HEAD~1; git status --short; git checkout -f .'
step "tag" 'git tag light; git tag -a -m text heavy; git tag -l -n'
step "fetch from a path" "git fetch '$D/origin' later; git log --oneline FETCH_HEAD"
step "fetch with tags" "git fetch '$D/origin' --tags; git tag"
step "bisect" 'git bisect start HEAD HEAD~3 >/dev/null; git bisect run true; git bisect reset'
step "worktree add" 'git worktree add ../tree -b intree'
step "worktree use" 'cd ../tree && echo w >w && git add w && git commit -m w && git status'
step "delete a branch" 'git branch gone; git branch -D gone'
step "worktree remove" 'git worktree add ../gone; git worktree remove ../gone; git worktree prune; git branch -D gone'
# A submodule is written into the configuration as well: that has to be lifted.
sed "/allow_write/a allow_git_config = yes" "$T/grant.ini" >"$T/lifted.ini"
mv "$T/grant.ini" "$T/strict.ini"
mv "$T/lifted.ini" "$T/grant.ini"
step "submodule add" "git -c protocol.file.allow=always submodule --quiet add '$D/origin' sub; git status --short"
step "submodule update" 'git -c protocol.file.allow=always submodule --quiet update --init; ls sub; git -C sub log --oneline; git submodule status'
step "a commit in a submodule" 'cd sub && git checkout -q -b work && echo s >s && git add s && git commit -m s && cd .. && git add sub && git commit -m sub'
mv "$T/strict.ini" "$T/grant.ini"
step "gc" 'git gc -q; git count-objects'
step "clean -fd" 'mkdir -p junk/deep; touch junk/deep/x y; git clean -fd'
step "status, all of it" 'git status --porcelain --untracked-files=all'
step "grep, blame, diff, show" 'git grep -n a; git blame -s a; git diff HEAD~1 --stat; git show --stat'
step "archive" 'git archive HEAD | cksum'
same_repository "the repositories are the same"
dir=cloned
step "pull" 'git pull'
step "fetch in a clone" 'git fetch --all; git branch -r'
step "a commit in a clone" 'echo c >c; git add c; git commit -m c'
same_repository "the clones are the same"

# ---- what the set denies says so ----
names() {
	(cd "$1" && find . -path '*/objects/*' -prune -o -printf '%P %y %m\n' | sort)
}
names "$D/bare" >"$T/names.bare"
names "$D/run" >"$T/names.run"
is "every name is as bare, in .git too" "$(diff "$T/names.bare" "$T/names.run")" ""
cd "$D/run/project" || exit 1
before_status=$(git status --porcelain --ignored)
run srun_run -q -- git remote add up /nowhere
isnt "git remote add: refused" "$rc" 0
like "and says why" "$err" "could not lock config file|Read-only file system|Device or resource busy"
run srun_run -q -- git config user.name x
isnt "git config: refused" "$rc" 0
like "and says why" "$err" "Read-only file system|Device or resource busy|Permission denied"
run srun_run -q -- sh -c 'echo "#!/bin/sh" >.git/hooks/pre-commit'
like "a hook: refused" "$err" "Read-only file system"
run srun_run -q -- sh -c 'git checkout -q -b envrc && mkdir -p x && echo x >.envrc'
like "a file of the set: refused" "$err" "Is a directory|Read-only|Permission denied"
git checkout -q main 2>/dev/null
git branch -q -D envrc 2>/dev/null
is "the status on the host is as before" "$(git status --porcelain --ignored)" "$before_status"
is "inside the run it is too" \
	"$(srun_run -q -- git status --porcelain --ignored --untracked-files=all)" "$(git status --porcelain --ignored --untracked-files=all)"
run srun_run -q -- git config --get user.name
is "configuration is read" "$rc" 1

# ---- a tracked file of the set, that another branch has differently ----
git init -q -b main "$D/run/tracked"
cd "$D/run/tracked" || exit 1
mkdir .vscode
echo one >.vscode/settings.json
echo f >f
git add -A
git commit -q -m one
git checkout -q -b two
echo two >.vscode/settings.json
echo ff >f
git commit -qam two
git checkout -q main
run srun_run -q -- git checkout two
like "a checkout that would rewrite it names it" "$out$err" "\\.vscode/settings\\.json"
is "and leaves it as it is" "$(cat .vscode/settings.json)" one
git checkout -q -f main

# ---- with the configuration lifted ----
grant <<-END
	[filesystem]
	allow_write = $D/run
	allow_git_config = yes
END
cd "$D/run/cloned" || exit 1
run srun_run -q -- sh -c "git remote add up '$D/origin' && git fetch -q up && git checkout -q -b track up/later"
is "allow_git_config: remotes and tracking branches" "$rc" 0
run srun_run -q -- sh -c 'git checkout -q main && git branch -q -D track && git remote remove up'
is "and away again" "$rc" 0

# ---- a submodule, where the configuration is not lifted ----
cd "$D/run/project" || exit 1
before_status=$(git status --porcelain --ignored)
mv "$T/grant.ini" "$T/lifted.ini"
grant <<-END
	[filesystem]
	allow_write = $D/run
END
run srun_run -q -- git -c protocol.file.allow=always submodule add "$D/origin" another
isnt "submodule add: refused" "$rc" 0
like "and says why" "$err" "could not lock config file|Read-only file system|Device or resource busy"
rm -rf another .git/modules/another
git reset -q --hard
git clean -qfd
is "the status on the host is as before, once more" "$(git status --porcelain --ignored)" "$before_status"

# ---- nothing is left ----
cd "$D/run" || exit 1
is "no placeholder is left" \
	"$(find . \( -name '.envrc' -o -name '.mcp.json' -o -name '.idea' -o -name '.husky' -o -name commondir -o -name config.worktree -o -name .gitmodules \) ! -path '*/worktrees/*' ! -path './project/.gitmodules')" ""
is "nor any empty file or directory of nobody's" \
	"$(find . -path '*/info/attributes')" ""

done_testing
