#!/bin/sh
# kill-srun: when srun itself is killed at any moment nothing survives it: no process, no
# temporary directory, no held pipe.
. "$(dirname "$0")/../lib.sh"

export TMPDIR="$T/temp"
mkdir "$TMPDIR"
# Seconds that no other test sleeps.
own=3$$
nothing_runs() {
	! pgrep -f "$1" && ! pgrep -f "$T/grant.ini"
}
# A random number of milliseconds below 40, without a process for it.
seed=$$
pause() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	sleep "0.0$((seed / 65536 % 40 + 10))"
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	# While it runs.
	rm -f "$W/up"
	"$@" sh -c 'trap "" TERM HUP INT; mkdir -p "$TMPDIR/a/b"; chmod 0 "$TMPDIR/a"
		setsid sleep "$1".1 & sleep "$1".1 & : >up; sleep "$1".1' sh "$own" &
	pid=$!
	wait_for 10 test -e "$W/up"
	is "$isolation: control: it runs, with a directory" "$(pgrep -fc "^sleep ${own}[.]1") $(find "$TMPDIR" -maxdepth 1 -name 'srun.*' | wc -l)" "3 1"
	kill -9 "$pid"
	check "$isolation: killed while it runs: no process" wait_for 2 nothing_runs "^sleep ${own}[.]1"
	check "$isolation: no directory" wait_for 2 rmdir "$TMPDIR"
	mkdir "$TMPDIR"

	# A reader of its pipe.
	rm -f "$W/up"
	mkfifo "$W/pipe"
	"$@" sh -c ': >up; trap "" TERM; sleep "$1".2' sh "$own" >"$W/pipe" &
	pid=$!
	start=$(now_ms)
	(wait_for 10 test -e "$W/up"; kill -9 "$pid") &
	cat "$W/pipe" >/dev/null
	took=$(($(now_ms) - start))
	check "$isolation: the reader of its pipe sees the end ($took ms)" test "$took" -lt 5000
	rm "$W/pipe"
	wait

	# At any moment from the start.
	n=0
	while [ "$n" -lt 50 ]; do
		n=$((n + 1))
		"$@" sleep "$own".3 &
		pid=$!
		pause
		kill -9 "$pid"
		wait "$pid"
	done 2>/dev/null
	check "$isolation: 50 killed at random: no process" wait_for 2 nothing_runs "^sleep ${own}[.]3"
	# One that was killed before it could start its guardian is swept by the next.
	"$@" true
	is "$isolation: no directory after the next run" "$(wait_for 2 rmdir "$TMPDIR"; ls -A "$TMPDIR" 2>/dev/null)" ''
	mkdir -p "$TMPDIR"
done

# The process of srun in the sandbox, killed from outside.
parent() {
	ps -o ppid= -p "$1" | tr -d ' '
}
printf '[sandbox]\nisolation = bwrap\n' | grant
"$SRUN" -q -f "$T/grant.ini" sh -c 'trap "" TERM; sleep "$1".4 & sleep "$1".4' sh "$own" 2>"$T/err" &
pid=$!
wait_for 10 pgrep -f "^sleep ${own}[.]4"
kill -9 "$(parent "$(parent "$(pgrep -of "^sleep ${own}[.]4")")")"
wait "$pid"
is "its inner process killed: exit" "$?" 125
is "a message" "$(cat "$T/err")" "srun: the sandbox ended before the command"
check "no process" wait_for 2 nothing_runs "^sleep ${own}[.]4"

done_testing
