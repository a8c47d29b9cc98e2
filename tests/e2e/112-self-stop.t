#!/bin/sh
# serial: yes
# self-stop: a command that stops itself stops srun, and srun's parent sees it; a CONT for
# srun is one for the command.
. "$(dirname "$0")/../lib.sh"

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	for sig in STOP TSTP TTIN TTOU; do
		bare=$("$HELPERS/life" -g sh -c "kill -$sig \$\$; exit 4")
		is "$isolation: $sig" "$("$HELPERS/life" -g "$SRUN" -q -f "$T/grant.ini" \
			sh -c "kill -$sig \$\$; exit 4")" "$bare"
	done
	is "$isolation: three times" "$("$HELPERS/life" -g "$SRUN" -q -f "$T/grant.ini" \
		sh -c 'for i in 1 2 3; do kill -STOP $$; done; kill -TERM $$')" "stopped STOP
stopped STOP
stopped STOP
signal TERM"
	# Only the command stopped itself: whoever shares srun's group is not stopped.
	is "$isolation: what is around srun goes on" "$("$HELPERS/life" -g sh -c '"$@" & wait; echo on' sh \
		"$SRUN" -q -f "$T/grant.ini" sh -c '(sleep 0.4; kill -CONT $$) & kill -TSTP $$; exit 0')" "on
exit 0"
	# A stop asked of srun is one of the command.
	rm -f "$W/seen"
	is "$isolation: TSTP for srun" "$("$HELPERS/life" -g -k TSTP:300 "$SRUN" -q -f "$T/grant.ini" \
		sh -c 'sleep 0.7; exit 4')" "stopped TSTP
exit 4"
	is "$isolation: with a handler inside there is no stop" "$("$HELPERS/life" -g -k TSTP:300 \
		"$SRUN" -q -f "$T/grant.ini" sh -c 'trap "echo trapped" TSTP; sleep 0.7; exit 4')" "trapped
exit 4"
	# A stopped command is still over in time, though srun is stopped with it and nobody
	# continues either.
	start=$(now_ms)
	timeout 8 "$SRUN" -q -f "$T/grant.ini" --timeout 300ms sh -c 'kill -STOP $$; sleep 20'
	rc=$?
	took=$(($(now_ms) - start))
	is "$isolation: a timeout ends a command that stopped itself" "$rc" 124
	check "$isolation: in time ($took ms)" test "$took" -lt 1500
	timeout 8 "$SRUN" -q -f "$T/grant.ini" --timeout 300ms --kill-after 200ms \
		sh -c 'trap "" TERM; kill -STOP $$; sleep 20'
	is "$isolation: also one that ignores TERM" "$?" 124
	is "$isolation: killed inside while it is stopped" "$(timeout 8 "$HELPERS/life" -g sh -c '"$@" & wait $!; echo $?' sh \
		"$SRUN" -q -f "$T/grant.ini" sh -c '(sleep 0.3; kill -KILL $$) & kill -STOP $$; exit 0' 2>/dev/null)" "137
exit 0"
	# Whatever moment the stop and what ends it come at.
	for delay in 0 0.001 0.003 0.01 0.02 0.03 0.05; do
		is "$isolation: continued inside after $delay s" "$(timeout 8 "$HELPERS/life" -g sh -c '"$@" & wait $!; echo $?' sh \
			"$SRUN" -q -f "$T/grant.ini" sh -c '(sleep 0.05; sleep '$delay'; kill -CONT $$) & kill -STOP $$; exit 3' 2>/dev/null)" "3
exit 0"
	done
done

done_testing
