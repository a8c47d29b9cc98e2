#!/bin/sh
# signals-passed: a signal for srun is a signal for the command: once each, and it is the
# command that decides what it means.
. "$(dirname "$0")/../lib.sh"

# passed NAME SIGNAL: sent to srun three times, the command has it three times
passed() {
	rm -f "$W/seen" "$W/seen.end"
	srun_run -q -- "$HELPERS/catch" "$W/seen" &
	pid=$!
	wait_for 10 test -s "$W/seen"
	for n in 2 3 4; do
		kill -"$2" "$pid"
		wait_for 5 sh -c '[ "$(wc -l <"$1")" -ge "$2" ]' sh "$W/seen" "$n"
	done
	# A second copy would come at once.
	sleep 0.05
	: >"$W/seen.end"
	wait "$pid"
	is "$1" "$? $(tr '\n' ' ' <"$W/seen")" "0 ready $2 $2 $2 "
}

# decided NAME WANT SIGNAL SCRIPT: the signal comes when the script has made 'ready'
decided() {
	rm -f "$W/ready"
	"$HELPERS/life" -g "$SRUN" -q -f "$T/grant.ini" -- sh -c "$4" >"$T/life" 2>&1 &
	life=$!
	wait_for 10 test -e "$W/ready"
	kill -"$3" "$(pgrep -P "$life")"
	wait "$life"
	is "$1" "$(cat "$T/life")" "$2"
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	for sig in TERM HUP INT QUIT USR1 USR2 WINCH; do
		passed "$isolation: $sig" "$sig"
	done
	for sig in TERM HUP INT QUIT USR1 USR2; do
		decided "$isolation: without a handler $sig kills" "signal $sig" "$sig" \
			': >ready; exec sleep 30'
	done
	decided "$isolation: a handler inside decides" "exit 42" INT \
		'trap "exit 42" INT; : >ready; while :; do sleep 0.05; done'
	decided "$isolation: a handler that does its work first" "exit 7" TERM \
		'trap "sleep 0.3; exit 7" TERM; : >ready; while :; do sleep 0.05; done'
	decided "$isolation: ignored inside, the command goes on" "exit 5" HUP \
		'trap "" HUP; : >ready; sleep 0.4; exit 5'
done

# With nothing left to wait for: no process of it stays.
printf '[sandbox]\nisolation = bwrap\n' | grant
is "nothing of it is left" "$(pgrep -f "$W/seen" | wc -l)" 0

done_testing
