#!/bin/sh
# death-by-signal: a command that a signal kills is seen by srun's parent as killed by that
# signal, not as an exit status.
. "$(dirname "$0")/../lib.sh"

# under COMMAND...: how srun ends, as its parent sees it
under() {
	"$HELPERS/life" "$SRUN" -q -f "$T/grant.ini" -- "$@" 2>"$T/err"
}

ulimit -c 0
for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	for sig in TERM KILL SEGV INT QUIT HUP ABRT PIPE USR1 ALRM XCPU; do
		is "$isolation: $sig" "$(under sh -c "kill -$sig \$\$"; cat "$T/err")" \
			"signal $sig"
	done
	# What a shell inside makes of it is its own exit status.
	is "$isolation: not of a child" "$(under sh -c 'sh -c "kill -TERM \$\$"; exit $?')" "exit 143"
	is "$isolation: a shell around srun" "$(sh -c '"$@"; echo $?' sh "$SRUN" -q -f "$T/grant.ini" \
		sh -c 'kill -TERM $$' 2>/dev/null)" 143
	is "$isolation: SIGKILL sent from outside the shell" \
		"$(under sh -c 'sleep 30 & kill -KILL $!; wait $!; echo $?; exit 3')" "137
exit 3"
done

# A core of srun would be in the way of the command's.
ulimit -c unlimited 2>/dev/null
printf '[sandbox]\nisolation = none\n' | grant
under sh -c 'ulimit -c 0; kill -SEGV $$' >/dev/null
is "srun writes no core of its own" "$(ls "$W")" ''

done_testing
