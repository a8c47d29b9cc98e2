#!/bin/sh
# deny-cost: what the mandatory deny set costs at the start, in a repository of 2,400
# directories with 30 protected names. The bound is loose, the figures are printed.
# serial: yes
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/deny.sh"
git_env

make_repository "$W"
(
	cd "$W" || exit 1
	for i in 0 1 2 3 4 5 6 7; do
		for j in 0 1 2 3 4 5 6 7 8 9; do
			for k in 0 1 2 3 4 5 6 7 8 9; do
				echo "d$i/e$j/f$k/g" "d$i/e$j/f$k/h"
			done
		done
	done | xargs mkdir -p
	for i in 0 1 2 3 4 5; do
		for j in 0 1 2 3 4; do
			touch "d$i/e$j/.envrc"
		done
	done
)
mkdir "$D/bare"
cat >"$T/bare.ini" <<-END
	[filesystem]
	allow_write = $D/bare
	write_working_directory = no
END
grant <<-END
	[filesystem]
	allow_write = $W
END

# Milliseconds of 20 runs, times 1000 / 20: microseconds each.
median() {
	for i in 1 2 3 4 5; do
		begin=$(now_ms)
		for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			"$SRUN" -q -f "$1" -- "$TRY" nothing >/dev/null
		done
		echo "$((($(now_ms) - begin) * 50))"
	done | sort -n | sed -n 3p
}
directories=$(find "$W" -type d | wc -l)
srun_run -q -- true
sleep 2.5 # directories younger than that are read again
srun_run -q -- true
like "every protected name is found" "$(srun_run --check)" "mandatory deny set +3[0-9] protected"
bare=$(median "$T/bare.ini")
full=$(median "$T/grant.ini")
diag "$directories directories, 30 protected names: $full us a run; a bare directory: $bare us"
check "the difference is below 100 ms" test "$((full - bare))" -lt 100000
rm -rf "$W/d0"
srun_run -q -- true
check "and what is gone is noticed" test ! -e "$W/d0"

done_testing
