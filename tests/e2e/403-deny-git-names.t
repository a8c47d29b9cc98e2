#!/bin/sh
# deny-git-names: what git's files name is held however they write it, also while it is
# missing; and no file that an earlier run could write makes the next one slow or blind.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
mkdir -p my-hooks tools other
echo text | tee tools/clean.py tools/ssh plain >/dev/null
chmod 755 tools/ssh
grant <<-END
	[filesystem]
	allow_write = $W
END

# ---- forms that git reads and a simple reader does not ----
cp .git/config "$T/config"
# form TEXT: core.hooksPath is my-hooks, written so.
form() {
	cp "$T/config" .git/config
	# shellcheck disable=SC2059 # it is one
	printf "$1" >>.git/config
	is "control: git reads hooksPath in: $1" "$(git config core.hooksPath)" my-hooks
	denied EROFS "a hook in it" -- "$TRY" create "$W/my-hooks/pre-commit"
}
form '[core]\n\thooksPath = my-\\\nhooks\n'
form '[core]\n\thooksPath = my"-"hooks ; x\n'
form '[core]\r\n\thooksPath = my-hooks\r\n'
form '[core]hooksPath=other\n[CORE]HOOKSPATH=my-hooks'
form '[user]\n\tname = \\\n\n[core]\n\thooksPath = "my-hooks"\n'
form '[a "]\\n[core]\\n"]\n\tx = y\n[core]\n\thooksPath = my-hooks\n'
printf '\357\273\277[core]\n\thooksPath = my-hooks\n' >.git/config
denied EROFS "behind a byte order mark" -- "$TRY" create "$W/my-hooks/pre-commit"
cp "$T/config" .git/config

# ---- programs that git runs on the way ----
git config filter.x.clean 'python3 tools/clean.py %f'
git config core.sshCommand './tools/ssh -v'
git config core.fsmonitor tools/absent
git config init.templateDir "$W/template"
git config core.pager 'less plain'
denied EROFS "a script that a filter runs" -- "$TRY" append "$W/tools/clean.py"
denied EROFS "a program that git runs" -- "$TRY" append "$W/tools/ssh"
denied "EEXIST|EROFS" "a program that is missing" -- "$TRY" create "$W/tools/absent"
denied "EEXIST|EROFS|EACCES" "templates of new repositories" -- "$TRY" mkdir "$W/template"
allowed "a word that is no path is not one" -- "$TRY" append "$W/plain"
allowed "and what is beside them is free" -- "$TRY" create "$W/tools/new"
run srun_run -q -- git status
is "git works with them held" "$rc" 0
cp "$T/config" .git/config

# ---- a configuration of the environment ----
printf '[core]\n\thooksPath = %s/my-hooks\n' "$W" >"$W/global"
export GIT_CONFIG_GLOBAL="$W/global"
denied EROFS "GIT_CONFIG_GLOBAL: the file" -- "$TRY" append "$W/global"
denied EROFS "GIT_CONFIG_GLOBAL: what it names" -- "$TRY" create "$W/my-hooks/pre-commit"
unset GIT_CONFIG_GLOBAL

# ---- where ".git" files and commondir point to ----
mkdir -p sub far/real
echo "gitdir: ../gone/git" >sub/.git
before
denied "EEXIST|EROFS|EACCES" "a .git file's target that is missing" -- "$TRY" mkdir "$W/gone"
unchanged "the host is as it was"
make_repository "$D/made"
mv "$D/made/.git" far/real/git
ln -s far/real way
echo "gitdir: ../way/git" >sub/.git
refused "a .git file that goes through a link" "'$W/way' is a link" -f "$T/grant.ini" -- true
rm way
echo "gitdir: ../far/real/git" >sub/.git
denied EROFS "a .git file's target" -- "$TRY" create "$W/far/real/git/hooks/new"
echo "../../common" >far/real/git/commondir
denied "EEXIST|EROFS|EACCES" "a commondir's target that is missing" -- "$TRY" mkdir "$W/far/common"
rm -rf sub far

# ---- a git directory without a configuration ----
git init -q --bare emb
rm emb/config
before
held "a configuration where there is none" "EROFS|EACCES" "$TRY" write-text "$W/emb/config" x
held "and the name is held" EBUSY "$TRY" unlink "$W/emb/config"
unchanged "the host is as it was, again"
rm -rf emb

# ---- what a run writes freely in a new repository, against the next one ----
git init -q made
i=0
while [ $((i += 1)) -le 60 ]; do
	printf '[include]\n\tpath = config\n\tpath = ./././config\n\tpath = more%d\n' $((i % 7))
done >>made/.git/config
start=$(now_ms)
srun_run -q -- true 2>"$T/err"
is "a configuration that includes itself: srun starts" "$? $(cat "$T/err")" "0 "
took=$(($(now_ms) - start))
check "and soon ($took ms)" test "$took" -lt 5000
i=0
while [ $((i += 1)) -le 300 ]; do
	printf '[include]\n\tpath = names/%d\n' "$i"
done >>made/.git/config
before
refused "one that names too much" "made/.git/config' names more than" -f "$T/grant.ini" -- true
unchanged "makes nothing"
{ echo '[core]'; head -c 5000000 /dev/zero | tr '\0' '#'; } >made/.git/config
refused "one that is too large to be read" "made/.git/config' is larger than" -f "$T/grant.ini" -- true
rm -rf made

done_testing
