#!/bin/sh
# env: the command's environment is built from nothing, and programs do not miss the rest.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
names='env | sed "s/=.*//" | grep -vx -e _ -e PWD -e SHLVL -e OLDPWD | sort | tr "\n" " "'
inside "six names" "HOME LANG PATH SRUN SRUN_ID TMPDIR " -- env LANG=C sh -c "$names"
is "secrets of the caller stay outside" \
	"$(AWS_SECRET_ACCESS_KEY=x SSH_AUTH_SOCK=x LD_PRELOAD='' GIT_DIR=x BASH_ENV=x srun_run -q -- \
		sh -c 'env | grep -c -e AWS -e SSH -e LD_ -e GIT -e BASH')" 0
is "PATH and HOME are the caller's" "$(srun_run -q -- sh -c 'echo "$PATH:$HOME"')" "$PATH:$HOME"
is "without a terminal there is no TERM" "$(TERM=xterm srun_run -q -- sh -c 'echo "${TERM-none}"' 2>/dev/null </dev/null | cat)" none

grant <<-END
	[sandbox]
	pass_env = KEEP_ME, MY_*
	[env]
	NAME = value with blanks
	HOME = $W
	EMPTY =
END
export KEEP_ME=1 MY_ONE=1 MY_TWO='a b' OTHER=1
inside "[env], pass_env by name and by prefix" "value with blanks|1|1|a b|unset|" -- \
	sh -c 'echo "$NAME|$KEEP_ME|$MY_ONE|$MY_TWO|${OTHER-unset}|${EMPTY-unset}"'
inside "a HOME of the grant wins" "$W" -- sh -c 'echo "$HOME"'
command -v python3 >/dev/null && [ "$(python3 -c 'print(1)' 2>/dev/null)" = 1 ] &&
	inside "and programs see it" "$W" -- python3 -c 'import os; print(os.path.expanduser("~"))'
inside "--env and --pass" "2 1" --env NAME=2 --pass OTHER -- sh -c 'echo "$NAME $OTHER"'
run srun_run --id my-run -q -- sh -c 'echo "$SRUN $SRUN_ID"'
is "SRUN and the id" "$out" "1 my-run"
run srun_run -q -- sh -c 'echo "$SRUN_ID"'
like "an id that is made" "$out" '^[0-9a-f]{16}$'

# What programs ask for when USER, LOGNAME, TERM and SHELL are missing.
echo | grant
unset USER LOGNAME TERM SHELL KEEP_ME MY_ONE MY_TWO OTHER
if getent passwd "$(id -u)" >/dev/null; then
	allowed "whoami" -- whoami
	allowed "id" -- id
fi
# What steers other programs comes by its name alone.
for line in 'LD_*' 'GIT_*' 'DYLD_*'; do
	grant_refused "pass_env = $line" "grant.ini:2: .*${line%?}" <<-END
		[sandbox]
		pass_env = $line
	END
done

done_testing
