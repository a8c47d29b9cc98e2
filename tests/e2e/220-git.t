#!/bin/sh
# git: in a repository git works as it does bare, and writes nothing outside it.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

have git
echo | grant
# Fixed times and names, so that the names of commits are the same.
id='export GIT_AUTHOR_DATE=2001-02-03T04:05:06Z GIT_COMMITTER_DATE=2001-02-03T04:05:06Z
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@example.org
'
same "init, add, commit, log, status" "$id"'
	git init -q -b main . && echo one >f && git add f && git commit -q -m first &&
	git log --format="%H %s" && git status && ls -A .git | sort'
sh -c "$id"'git init -q -b main . && echo one >f && mkdir d && echo two >d/g && git add f d && git commit -q -m first' >/dev/null
same "status and diff after a change" 'echo more >>f; git status --porcelain; git diff --stat; git diff'
same "branch, checkout, merge" "$id"'
	git checkout -q -b topic && echo t >t && git add t && git commit -q -m topic && git checkout -q main &&
	git merge -q --no-ff -m merge topic && git log --oneline --graph && git branch -d topic && git branch -a'
same "stash and rebase" "$id"'
	git checkout -q -b topic && echo t >t && git add t && git commit -q -m topic && git checkout -q main &&
	echo m >m && git add m && git commit -q -m main && git checkout -q topic && git rebase -q main 2>&1 &&
	echo x >>f && git stash -q && git status --porcelain && git stash pop -q && git diff --stat'
same "clone, fetch and push between directories" "$id"'
	git clone -q . sub 2>/dev/null && cd sub && echo s >s && git add s && git commit -q -m sub &&
	git push -q origin HEAD:refs/heads/pushed 2>/dev/null; cd .. && git fetch -q sub && git branch -a && rm -rf sub'
same "a worktree" "$id"'
	git worktree add -q wt -b wt 2>/dev/null && cd wt && echo w >w && git add w && git commit -q -m wt && git log --oneline && git status'
same "gc, fsck, archive" 'git gc -q && git fsck 2>/dev/null && git archive HEAD | tar -tf -'
same "an error" 'git checkout nowhere; echo $?; git nonsense; exit $?'

cat >"$T/grant.ini" <<-END
	[filesystem]
	deny_write = $W/.git
END
denied EROFS "a repository that is closed for writing is not written" -- "$TRY" create "$W/.git/new"
inside "and still read" "first" -- git log --format=%s
grant <<-END
	[filesystem]
	deny_read = $W/.git
END
run srun_run -q -- git log
isnt "a closed one is not" "$rc" 0

done_testing
