#!/bin/sh
# none-tree: without a process namespace the tree is found and killed to the last process:
# on a signal, at a timeout, and when srun or its inner process is killed.
. "$(dirname "$0")/../lib.sh"

printf '[sandbox]\nisolation = none\nkill_after = 200ms\n' | grant
set -- "$SRUN" -q -f "$T/grant.ini"
# Seconds that no other test sleeps.
own=4$$
left() {
	pgrep -fc "^sleep ${own}[.]" || :
}
none_left() {
	[ "$(left)" -eq 0 ]
}
# Three levels, each with a child that has gone into its own session.
cat >"$T/levels" <<-'END'
	trap '' HUP INT
	if [ "$2" -gt 0 ]; then
		setsid sleep "$1.1" &
		sh "$0" "$1" $(($2 - 1)) "$3" &
		(setsid sh -c 'trap "" TERM; sleep "$0"; sleep "$0"' "$1.2" &)
	else
		: >"$3"
	fi
	sleep "$1.3"
	sleep "$1.3"
END
up() {
	rm -f "$W/up"
	"$@" sh "$T/levels" "$own" 2 "$W/up" 2>"$T/err" &
	pid=$!
	wait_for 10 test -e "$W/up"
	wait_for 5 sh -c '[ "$(pgrep -fc "^sleep $1[.]")" -eq 7 ]' sh "$own"
}

up "$@"
is "control: seven are there" "$(left)" 7
kill -TERM "$pid"
wait "$pid"
is "TERM: exit" "$?" 143
is "TERM: none is left when srun has ended" "$(left)" 0

up "$@" --timeout 300ms
wait "$pid"
is "timeout: exit" "$?" 124
is "timeout: none is left" "$(left)" 0

up "$@"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "KILL for srun: none is left" wait_for 2 none_left

# What the command can do itself: its parent is the inner process, the newest child of srun.
up "$@"
kill -KILL "$(pgrep -n -P "$pid")"
wait "$pid"
is "KILL for its inner process: exit" "$?" 125
is "a message" "$(cat "$T/err")" "srun: the sandbox ended before the command"
check "none is left" wait_for 2 none_left
run timeout 20 "$@" sh -c 'setsid sleep "$1.4" & kill -KILL $PPID; sleep "$1.4"' sh "$own"
is "by the command: exit" "$rc" 125
check "none is left of that" wait_for 2 none_left
run timeout 20 "$@" --timeout 300ms sh -c 'setsid sleep "$1.5" & kill -STOP $PPID; sleep "$1.5"' sh "$own"
is "an inner process that the command stopped: the timeout" "$rc" 124
check "none is left of that either" wait_for 2 none_left
run timeout 20 "$@" sh -c 'kill -STOP $PPID; sleep 0.2; exit 5'
is "and without a timeout it goes on to report: exit" "$rc" 5
run timeout 20 "$@" sh -c 'for i in 1 2 3 4 5 6 7 8; do kill -STOP $PPID; done; exit 6'
is "stopped many times: exit" "$rc" 6

# A process whose first thread has ended looks like a zombie.
cp "$HELPERS/headless" "$W/h$own"
headless() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v n="(h$own)" '$2 == n && ($3 != "Z" || $20 > 1) { print $1 }'
}
"$W/h$own" true
isnt "control: bare it is left" "$(headless)" ''
kill -KILL "$(headless)"
run timeout 20 "$@" "$W/h$own" sh -c 'exit 6'
is "a process without its first thread: exit" "$rc" 6
is "is killed too" "$(headless)" ''

# The children that came with an exec are not of the tree.
is "others' children stay" "$(bash -c 'sleep "$0.6" & p=$!; "$@" sh -c "sleep $0.7 & exit 0"; kill $p && echo alive' "$own" "$@")" alive
run bash -c 'sleep "$0.6" & echo $! >pid; exec "$@" sh -c "kill -KILL \$PPID; sleep $0.7"' "$own" "$@"
check "also when the inner process was killed" kill "$(cat "$W/pid")"
check "none is left at all" wait_for 2 none_left

done_testing
