#!/bin/sh
# signal-state: ignored and blocked signals are inherited through srun as through exec, and
# srun itself lives with whatever it was given.
. "$(dirname "$0")/../lib.sh"

# alike NAME OPTION...: what the command finds is what it finds bare
alike() {
	name=$1
	shift
	bare=$("$HELPERS/life" "$@" "$TRY" signals)
	is "$isolation: $name" \
		"$("$HELPERS/life" "$@" "$SRUN" -q -f "$T/grant.ini" "$TRY" signals)" "$bare"
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	alike "nothing is ignored, nothing blocked"
	alike "PIPE ignored stays ignored" -i PIPE
	alike "CHLD ignored" -i CHLD
	alike "HUP ignored, as by nohup" -i HUP
	alike "INT and QUIT ignored, as by a script's background" -i INT -i QUIT
	alike "TERM ignored" -i TERM
	alike "the stops ignored" -i TSTP -i TTIN -i TTOU
	alike "WINCH, USR1 and USR2 ignored" -i WINCH -i USR1 -i USR2
	alike "all of the blocked" -b HUP -b INT -b QUIT -b TERM -b USR1 -b USR2 -b CHLD -b PIPE -b ALRM
	alike "CONT and the stops blocked" -b CONT -b TSTP -b TTIN -b TTOU
	is "$isolation: with CHLD ignored the status still arrives" \
		"$("$HELPERS/life" -i CHLD "$SRUN" -q -f "$T/grant.ini" sh -c 'exit 6')" "exit 6"
	is "$isolation: with CHLD ignored and a signal" \
		"$("$HELPERS/life" -i CHLD "$SRUN" -q -f "$T/grant.ini" sh -c 'kill -9 $$')" "signal KILL"
	is "$isolation: with CHLD blocked" \
		"$("$HELPERS/life" -b CHLD "$SRUN" -q -f "$T/grant.ini" sh -c 'sleep 0.1; exit 6')" "exit 6"
	is "$isolation: the default of PIPE ends a writer" \
		"$("$HELPERS/life" "$SRUN" -q -f "$T/grant.ini" yes 2>&1 | head -n 1)" y
	is "$isolation: nohup holds" \
		"$("$HELPERS/life" -k HUP:300 nohup "$SRUN" -q -f "$T/grant.ini" \
			sh -c 'sleep 0.6; echo still' 2>/dev/null | head -n 1)" still
done

done_testing
