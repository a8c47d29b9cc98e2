#!/bin/sh
# orphans: when the command's first process ends, the run ends: background children die with
# it and hold neither srun nor a pipe.
. "$(dirname "$0")/../lib.sh"

# Seconds that no other test sleeps.
own=2$$
for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	for how in "sleep $own.1 &" "setsid sleep $own.2 &" "nohup sleep $own.3 2>/dev/null &" \
		"(setsid sh -c \"trap '' TERM HUP INT; sleep $own.4 & sleep $own.4\" &)" \
		"sleep $own.5 & kill -STOP \$!" "trap '' HUP; for i in 1 2 3 4 5 6 7 8 9; do sleep $own.6 & done"; do
		start=$(now_ms)
		out=$("$@" sh -c "$how
			echo made; exit 3" | cat)
		took=$(($(now_ms) - start))
		is "$isolation: $how" "$out" made
		check "$isolation: it is not waited for ($took ms)" test "$took" -lt 1500
	done
	is "$isolation: none is left" "$(pgrep -fc "^sleep ${own}[.]")" 0
	is "$isolation: the status is the first process's" "$("$@" sh -c "sleep $own.7 & exit 3"; echo $?)" 3
	run "$@" sh -c 'sleep 0.1 & sleep 0.2 & wait; exit 4'
	is "$isolation: what is waited for inside is waited for" "$rc" 4
done
# The control: bare the child lives on and the reader waits for it.
start=$(now_ms)
sh -c 'sleep 0.6 & echo made' | cat >/dev/null
took=$(($(now_ms) - start))
check "control: bare the pipe stays open ($took ms)" test "$took" -ge 550

done_testing
