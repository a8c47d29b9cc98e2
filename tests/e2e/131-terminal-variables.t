#!/bin/sh
# terminal-variables: what describes the terminal is in the environment when one of the
# three streams is a terminal, and only then; the rest is exactly the documented names.
. "$(dirname "$0")/../lib.sh"

echo | grant
export TERM=xterm COLORTERM=truecolor NO_COLOR=1 COLUMNS=80 LINES=24 KUBE_TOKEN=x AWS_SECRET_ACCESS_KEY=x LANG=C.UTF-8
names() {
	tr '\0' '\n' | sed 's/=.*//' | sort | tr '\n' ' '
}
plain="HOME LANG PATH SRUN SRUN_ID TMPDIR "
all="COLORTERM COLUMNS HOME LANG LINES NO_COLOR PATH SRUN SRUN_ID TERM TMPDIR "
set -- "$SRUN" -q -f "$T/grant.ini"
# cat(1) and not a shell, which has variables of its own.
is "without a terminal" "$("$@" cat /proc/self/environ </dev/null 2>/dev/null | names)" "$plain"
run "$HELPERS/pty" -- sh -c '"$@" cat /proc/self/environ >out' sh "$@"
is "on stdin and stderr" "$(names <out)" "$all"
run "$HELPERS/pty" -- sh -c '"$@" cat /proc/self/environ >out 2>err' sh "$@"
is "on stdin alone" "$(names <out)" "$all"
run "$HELPERS/pty" -- sh -c '"$@" cat /proc/self/environ >out </dev/null' sh "$@"
is "on stderr alone" "$(names <out)" "$all"
run "$HELPERS/pty" -- sh -c '"$@" cat /proc/self/environ >out </dev/null 2>err' sh "$@"
is "on none, though there is one" "$(names <out)" "$plain"
run "$HELPERS/pty" -- sh -c 'unset COLUMNS LINES; "$@" cat /proc/self/environ >out' sh "$@"
is "only what the caller has" "$(names <out)" "COLORTERM HOME LANG NO_COLOR PATH SRUN SRUN_ID TERM TMPDIR "
printf '[env]\nA = 1\nTERM = dumb\n' | grant
run "$HELPERS/pty" -- sh -c '"$@" cat /proc/self/environ >out </dev/null 2>err' sh "$@"
is "the grant can set them always" "$(names <out)" "A HOME LANG PATH SRUN SRUN_ID TERM TMPDIR "
is "no name comes twice" "$(tr '\0' '\n' <out | grep -c ^TERM=)" 1
printf '[sandbox]\nisolation = none\n[env]\nA = 1\n' | grant
is "none: the same names" "$("$@" cat /proc/self/environ </dev/null 2>/dev/null | names)" "A $plain"

done_testing
