#!/bin/sh
# inherited: umask, priority, limits, groups and the children that came with an exec: the
# command finds what it would find without srun.
. "$(dirname "$0")/../lib.sh"

state='umask; nice; ulimit -n; ulimit -c; ulimit -s; ulimit -f; ulimit -t; id -u; id -g; pwd'

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	for mask in 000 022 077; do
		is "$isolation: umask $mask" "$(umask "$mask"; srun_run -q -- sh -c 'umask; : >f; stat -c %a f; rm f')" \
			"$(umask "$mask"; sh -c 'umask; : >f; stat -c %a f; rm f')"
	done
	is "$isolation: nice" "$(nice -n 7 "$SRUN" -q -f "$T/grant.ini" nice)" "$(nice -n 7 nice)"
	is "$isolation: limits" "$(ulimit -n 77; ulimit -c 0; ulimit -t 99; srun_run -q -- sh -c "$state")" \
		"$(ulimit -n 77; ulimit -c 0; ulimit -t 99; sh -c "$state")"
	is "$isolation: a soft limit below its hard one" \
		"$(ulimit -S -n 99; srun_run -q -- sh -c 'ulimit -S -n; ulimit -H -n')" \
		"$(ulimit -S -n 99; sh -c 'ulimit -S -n; ulimit -H -n')"
	is "$isolation: which processors" \
		"$(taskset -c 0 "$SRUN" -q -f "$T/grant.ini" grep Cpus_allowed_list /proc/self/status)" \
		"$(taskset -c 0 grep Cpus_allowed_list /proc/self/status)"

	# A shell that made children and then became srun: they are not srun's to wait for.
	start=$(now_ms)
	is "$isolation: exec with a child of the shell's that ends first" \
		"$(bash -c 'exec "$@" sh -c "sleep 0.6; exit 4" < <(sleep 0.1)' bash "$SRUN" -q -f "$T/grant.ini"; echo $?)" 4
	took=$(($(now_ms) - start))
	check "$isolation: it waits for the command ($took ms)" test "$took" -ge 580
	start=$(now_ms)
	is "$isolation: with one that ends later" \
		"$(bash -c 'exec "$@" sh -c "exit 4" < <(exec sleep 0.5 >/dev/null 2>&1)' bash "$SRUN" -q -f "$T/grant.ini"; echo $?)" 4
	took=$(($(now_ms) - start))
	check "$isolation: it does not wait for that ($took ms)" test "$took" -lt 2500
	is "$isolation: and leaves it alone" \
		"$(bash -c 'sleep 1.0 & echo $!; exec "$@" true' bash "$SRUN" -q -f "$T/grant.ini" |
			xargs -I{} sh -c 'kill -0 {} && echo alive')" alive
	is "$isolation: no zombie of it is kept" "$("$HELPERS/life" -z 400 bash -c 'sleep 0.1 &
		exec "$@" sleep 0.6' bash "$SRUN" -q -f "$T/grant.ini")" "zombies 0
exit 0"
done

done_testing
