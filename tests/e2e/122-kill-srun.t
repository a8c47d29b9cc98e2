#!/bin/sh
# kill-srun: when srun itself is killed at any moment nothing survives it: no process, no
# temporary directory, no held pipe.
. "$(dirname "$0")/../lib.sh"

export TMPDIR="$T/temp" XDG_RUNTIME_DIR="$T/run"
mkdir -m 700 "$TMPDIR" "$XDG_RUNTIME_DIR" "$W/storm"
# Seconds that no other test sleeps.
own=3$$
nothing_runs() {
	! pgrep -f "$1" && ! pgrep -f "$T/grant.ini"
}
# All that a run makes on the host: its entry, its directory, the names it holds.
made() {
	find "$XDG_RUNTIME_DIR/srun" -name '*.run' -o -name '*.hold'
	find "$TMPDIR" "$W/storm" -mindepth 1
}
nothing_made() {
	[ -z "$(made)" ]
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
	is "$isolation: control: it runs, with a directory" "$(pgrep -fc "^sleep ${own}[.]1") $(find "$TMPDIR" -mindepth 2 -maxdepth 2 | wc -l)" "3 1"
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

	# At any moment from the start: the guardian has done its work when it is gone.
	cd "$W/storm" || exit 1
	is "$isolation: killed at 200 random moments: no process is left" \
		"$("$HELPERS/storm" -n 200 -m 15000 "$@" sleep 1000 | sed 's/, [0-9]* ms//')" "200 runs, 0 left"
	is "$isolation: and nothing that was made, without a next run" "$(made)" ''
	# One of its processes is killed, then srun too. Its guardian may be the one.
	if [ "$isolation" = bwrap ]; then
		is "$isolation: with one of its processes: no process is left" \
			"$("$HELPERS/storm" -v 0 -x -n 100 -m 12000 "$@" sleep 1000 | sed 's/, [0-9]* ms//')" "100 runs, 0 left"
	fi
	"$@" true
	check "$isolation: the next run sweeps" nothing_made
	# Stopped is not gone: the death of srun wakes them up.
	for victim in 1 2 3; do
		is "$isolation: process $victim stopped, then srun killed" \
			"$("$HELPERS/storm" -v "$victim" -s 19 -x -w 60 -n 3 -m 20000 "$@" sleep 1000 | sed 's/, [0-9]* ms//')" "3 runs, 0 left"
	done
	check "$isolation: nothing is left of those" nothing_made
	cd "$W" || exit 1
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
