#!/bin/sh
# leftovers-many: two hundred runs, four at a time, in the same fresh directory: each starts
# and ends as it should, and nothing is left.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"

mkdir -m 700 "$T/run"
export XDG_RUNTIME_DIR="$T/run"
grant <<-END
	[filesystem]
	allow_write = $W
	deny_write = $W/x/y
END

loop() {
	i=0
	while [ "$i" -lt 50 ]; do
		i=$((i + 1))
		"$SRUN" -f "$T/grant.ini" -- "$TRY" create "$W/.envrc" >"$T/out.$1" 2>"$T/err.$1"
		echo "$? $(cat "$T/out.$1") $(cat "$T/err.$1")"
	done
}
pids=
for n in 1 2 3 4; do
	loop "$n" >"$T/loop.$n" &
	pids="$pids $!"
done
# shellcheck disable=SC2086 # several
wait $pids
is "every run ends as it should, and is denied" "$(sort "$T"/loop.* | uniq -c | sed 's/^ *//')" "200 1 EEXIST "
is "nothing is left in the directory" "$(ls -A "$W")" ""
is "nor a journal" "$(find "$T/run/srun" \( -name '*.hold' -o -name '*.run' \) | wc -l)" 0

done_testing
