#!/bin/sh
# vanished: a program that makes and removes repositories in the write root all the time does
# not keep srun from starting: what is gone when it is to be used is looked for again.
# serial: yes
. "$(dirname "$0")/../lib.sh"

printf '[filesystem]\nallow_write = %s\nwrite_working_directory = no\n' "$D" | grant
busy() {
	while [ ! -e "$T/stop" ]; do
		for i in 1 2 3; do
			mkdir -p "$D/r$i/.git/hooks" "$D/r$i/.git/objects" "$D/r$i/.git/refs"
			echo 'ref: refs/heads/main' >"$D/r$i/.git/HEAD"
			echo >"$D/r$i/.envrc"
		done
		sleep 0.03
		rm -rf "$D"/r?
		sleep 0.03
	done 2>/dev/null
}
busy &
busy=$!
started=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	if srun_run -q -- true 2>"$T/err"; then
		started=$((started + 1))
	else
		diag "$i: $(head -n 3 "$T/err")"
	fi
done
: >"$T/stop"
wait "$busy"
# Without another look it was 25 to 34.
check "of 40 runs at least 35 start ($started)" test "$started" -ge 35
rm -rf "$D"/r?
is "nothing of srun's stays in the write root" "$(ls -A "$D")" ''

done_testing
