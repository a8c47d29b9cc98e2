#!/bin/sh
# deny-planted: what a command can leave in a write root must not hang, crash or mislead the
# next run: it starts and holds, or refuses with one line that names the path.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

grant <<-END
	[filesystem]
	allow_write = $W
END

# planted NAME SCRIPT: the script in a fresh repository, then a run that changes nothing. The
# refusal, if it is one, has a word of a path in it.
planted() {
	cd / && chmod -R u+rwX "$W" && rm -rf "$W" && mkdir "$W" && cd "$W" || exit 1
	make_repository "$W"
	sh -c "$2" || {
		not_ok "$1: cannot be planted"
		return
	}
	state=$(find "$W" -printf '%P %y %m %l\n' | sort)
	rc=0
	timeout -s KILL 20 "$SRUN" -q -f "$T/grant.ini" -- true >"$T/out" 2>"$T/err" </dev/null || rc=$?
	left=$(find "$W" -printf '%P %y %m %l\n' | sort)
	said=$(wc -l <"$T/err")
	case "$rc $said" in
	'0 0') ;;
	'125 '[1-4]) grep -q "srun: .*'/.*'" "$T/err" || rc="$rc, naming nothing" ;;
	*) rc="$rc, $said lines" ;;
	esac
	case $rc in
	0 | 125)
		if [ "$state" = "$left" ]; then
			ok "$1 ($rc)"
			return
		fi
		;;
	esac
	not_ok "$1"
	diag "exit $rc"
	diag "$(cat "$T/err")"
	diag "$(printf '%s\n%s\n' "$state" "$left" | sort | uniq -u | head)"
}

for n in .git/config .git/commondir .git/config.worktree .git/info/exclude .git/info/attributes .git/hooks .envrc \
	.mcp.json .claude .gitmodules; do
	planted "$n is a FIFO" "rm -rf $n; mkfifo $n"
	planted "$n is a link to itself" "rm -rf $n; ln -s $(basename $n) $n"
	planted "$n is of mode 0" "rm -rf $n; echo x >$n; chmod 0 $n"
	planted "$n is a directory of mode 0" "rm -rf $n; mkdir $n; chmod 0 $n"
done
for n in a a/.git a/.git/hooks; do
	planted "$n is a FIFO" "mkdir -p $(dirname $n); mkfifo $n"
	planted "$n is a link to the root" "mkdir -p $(dirname $n); ln -s / $n"
done
planted "no git directory" 'rm -rf .git; mkdir .git'
planted "an empty .git file" 'rm -rf .git; : >.git'
planted "a .git file of NULs" 'rm -rf .git; head -c 5000 /dev/zero >.git'
planted "a .git file that points to itself" 'rm -rf .git; echo "gitdir: .git" >.git'
planted "a .git file that points to /" 'rm -rf .git; echo "gitdir: /" >.git'
planted "a .git file that points to another repository's" 'mkdir s; echo "gitdir: ../.git" >s/.git'
planted "a .git file with a path that is too long" \
	'mkdir s; { printf "gitdir: "; head -c 9000 /dev/zero | tr "\0" x; } >s/.git'
planted "a .git file with a path of many parts" \
	'mkdir s; { printf "gitdir: "; yes ./x/.. | head -n 900 | tr "\n" /; } >s/.git'
planted "a .git file with blanks and newlines" 'mkdir s; printf "gitdir: \t a\nb\n\n" >s/.git'
planted "commondir points to /" 'echo / >.git/commondir'
planted "commondir points up and down" 'echo ../../../../../../../../.. >.git/commondir'
planted "commondir points to a directory that points back" \
	'mkdir c; echo ../.git >c/commondir; echo ../c >.git/commondir'
planted "commondir is empty" ': >.git/commondir'
planted "commondir is of NULs" 'head -c 100 /dev/zero >.git/commondir'
planted "a configuration of noise" 'head -c 100000 /dev/urandom >.git/config'
planted "a configuration of one long line" \
	'{ echo "[core]"; printf "hooksPath="; head -c 300000 /dev/zero | tr "\0" x; } >.git/config'
planted "a configuration that names the root" \
	'printf "[core]\n\thooksPath = /\n\tfsmonitor = /\n[include]\n\tpath = /\n" >.git/config'
planted "a configuration that names the write root" \
	'printf "[core]\n\thooksPath = .\n\tattributesFile = %s\n" "$PWD" >.git/config'
planted "a configuration that names its own directory" \
	'printf "[core]\n\thooksPath = .git\n[include]\n\tpath = .\n" >.git/config'
planted "a configuration that names a FIFO" 'mkfifo f; printf "[include]\n\tpath = ../f\n" >.git/config'
planted "a configuration that names the terminal" 'printf "[include]\n\tpath = /dev/tty\n" >.git/config'
planted "a configuration that names what is in the way of another" \
	'printf "[core]\n\thooksPath = one/x/y\n[include]\n\tpath = ../one\n" >.git/config'
planted "a configuration that names a missing name and one below it" \
	'printf "[core]\n\thooksPath = n\n\tattributesFile = n/a/b\n[include]\n\tpath = ../n/c\n" >.git/config'
planted "a name with a newline and quotes" 'mkdir "a
b'\''c"; echo x >"a
b'\''c/.envrc"'
planted "a name that is not UTF-8" 'd=$(printf "\377\376"); mkdir "$d"; echo x >"$d/.envrc"'
planted "many repositories" 'i=0; while [ $((i+=1)) -le 40 ]; do mkdir -p r$i/.git; : >r$i/.git/HEAD; done'
planted "a chain of repositories" 'd=.; i=0; while [ $((i+=1)) -le 12 ]; do d=$d/s; mkdir -p $d/.git; done'
planted "a deep tree" 'd=; i=0; while [ $((i+=1)) -le 60 ]; do d=$d/d; done; mkdir -p .$d; echo x >.$d/.envrc'

# Which configuration makes a grant void is said: the command may have written it.
cd "$W" && chmod -R u+rwX . && git init -q nested
git -C nested config core.hooksPath "$W"
refused "a nested configuration that names the root: is named" \
	"has no effect: .*'$W/nested/.git/config' names it" -f "$T/grant.ini" -- true

done_testing
