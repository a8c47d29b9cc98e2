#!/bin/sh
# timeout: at the time of the grant the command is asked to end, and a grace later everything
# is killed; the exit status is 124 and nothing is left, whatever the command does against it.
# serial: yes
. "$(dirname "$0")/../lib.sh"

# timed NAME MIN MAX COMMAND...: 124 after MIN to MAX milliseconds
timed() {
	name=$1 min=$2 max=$3
	shift 3
	start=$(now_ms)
	run "$@"
	took=$(($(now_ms) - start))
	is "$isolation: $name: exit" "$rc" 124
	check "$isolation: $name: in time ($took ms)" test "$took" -ge "$min" -a "$took" -lt "$max"
}
left() {
	pgrep -fc "^sleep $1" || :
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\nkill_after = 300ms\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini" --timeout 300ms
	timed "a plain command" 290 600 "$@" sleep 1000.1
	timed "with TERM ignored" 590 900 "$@" sh -c 'trap "" TERM; sleep 1000.2; sleep 1000.2'
	timed "with a child in another session" 290 900 "$@" sh -c 'setsid sleep 1000.3 & trap "" TERM; sleep 1000.3'
	timed "with children twice removed" 290 900 "$@" sh -c 'trap "" TERM; (setsid sh -c "trap \"\" TERM HUP; sleep 1000.4 & sleep 1000.4" &) ; sleep 1000.4'
	timed "a pipeline over a named pipe" 290 900 "$@" bash -c 'mkfifo p; (while true; do echo c; sleep 0.1; done) >p & cat p'
	rm -f "$W/p"
	timed "while it makes processes" 290 900 "$@" sh -c 'trap "" TERM; while :; do sleep 1000.5 & sleep 0.01; done'
	timed "with a stopped child" 290 900 "$@" sh -c 'sleep 1000.6 & kill -STOP $!; wait'
	timed "stopped and continued all the time" 290 2000 "$@" "$HELPERS/attack" flicker 8000
	# shellcheck disable=SC2016 # scripts are for the shell inside
	timed "with srun stopped" 290 900 sh -c '"$@" & sleep 0.1; kill -STOP $!; wait $!' sh "$@" sleep 1000.8
	timed "with srun stopped before it has to kill" 590 1200 sh -c '"$@" & sleep 0.4; kill -STOP $!; wait $!' sh \
		"$@" sh -c 'trap "" TERM; sleep 1000.9; sleep 1000.9'
	is "$isolation: nothing is left" "$(left '1000[.]')" 0
	timed "a handler that ends by itself" 290 600 "$@" sh -c 'trap "echo graceful; exit 0" TERM; while :; do sleep 0.02; done'
	is "$isolation: the handler ran" "$out" graceful
	timed "a handler that takes too long" 590 900 "$@" sh -c 'trap "echo begun; sleep 5; echo ended" TERM; while :; do sleep 0.02; done'
	is "$isolation: it was cut short" "$out" begun
	[ "$isolation" = bwrap ] ||
		timed "with inner stopped and many signals to pass on" 290 2000 "$@" sh -c '
			exec "$0" flood "$(awk "/^PPid/ { print \$2 }" "/proc/$PPID/status")" 8000' "$HELPERS/attack"
	[ "$isolation" = bwrap ] ||
		timed "with srun and its guardian stopped by the command" 290 900 "$@" sh -c '
			srun=$(awk "/^PPid/ { print \$2 }" "/proc/$PPID/status")
			for p in $(pgrep -P "$srun"); do [ "$p" = "$PPID" ] || kill -STOP "$p"; done
			kill -STOP "$srun"; exec sleep 1000.6'
	start=$(now_ms)
	out=$("$@" sh -c 'trap "" TERM; (setsid sleep 1000.7 &); echo x; sleep 1000.7' | cat)
	took=$(($(now_ms) - start))
	check "$isolation: the reader of its pipe sees the end ($took ms)" test "$took" -lt 1000
	run "$SRUN" -f "$T/grant.ini" --timeout 300ms sleep 5
	is "$isolation: one line says so" "$(printf '%s\n' "$err" | tail -n 1)" "srun: timeout after 300 ms"
	run "$@" sh -c 'exit 3'
	is "$isolation: a command that ends before is not touched" "$rc" 3
	run "$SRUN" -q -f "$T/grant.ini" --timeout 10s sleep 0.3
	is "$isolation: a longer time" "$rc" 0
done

done_testing
