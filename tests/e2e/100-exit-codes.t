#!/bin/sh
# exit-codes: the exit status of srun is the command's own, also where srun uses the same
# number itself; then only srun's own failures have a message.
. "$(dirname "$0")/../lib.sh"

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	for code in 0 1 2 3 77 124 125 126 127 128 130 137 143 255; do
		run srun_run -q -- sh -c "exit $code"
		is "$isolation: exit $code" "$rc $out$err" "$code "
	done
	is "$isolation: an exit of 143 is no death by TERM" \
		"$("$HELPERS/life" "$SRUN" -q -f "$T/grant.ini" sh -c 'exit 143')" "exit 143"
	is "$isolation: of -c as well" "$(srun_run -q -c 'exit 9'; echo $?)" 9
done

# srun's own: the number and a message.
run "$SRUN" -f "$T/absent.ini" -- true
is "a bad grant: exit" "$rc" 125
like "a bad grant: a message" "$err" '^srun: '
grant <<-END
	[sandbox]
	timeout = 200ms
END
run srun_run -- sleep 5
is "timeout: exit" "$rc" 124
is "timeout: a message" "$err" "srun: timeout after 200 ms"

done_testing
