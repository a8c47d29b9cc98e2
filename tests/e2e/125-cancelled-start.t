#!/bin/sh
# cancelled-start: a signal that comes while srun still prepares ends it by that signal, and
# the command, if it was started at all, with it; nothing stays.
. "$(dirname "$0")/../lib.sh"

export TMPDIR="$T/temp"
mkdir "$TMPDIR"
# Seconds that no other test sleeps.
own=5$$
nothing_runs() {
	! pgrep -f "^sleep ${own}[.]1" && ! pgrep -f "$T/grant.ini"
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	for sig in TERM INT HUP; do
		ends=
		for ms in 0 2 4 6 8 10 12 15 20 30; do
			ends="$ends$("$HELPERS/life" -g -k "$sig:$ms" "$SRUN" -q -f "$T/grant.ini" sleep "$own.1" 2>&1)
"
		done
		is "$isolation: $sig in the first 30 ms" "$(printf '%s' "$ends" | sort | uniq -c | sed 's/^ *//')" "10 signal $sig"
	done
	check "$isolation: no process" wait_for 2 nothing_runs
	is "$isolation: no directory" "$(ls -A "$TMPDIR")" ''
done
# Long preparations can be cancelled as well.
printf '#!/bin/sh\nexec sleep %s.1\n' "$own" >"$T/slow"
chmod 755 "$T/slow"
if is_root && unshare -m true 2>/dev/null; then
	printf '[sandbox]\nisolation = bwrap\n' | grant
	is "a bubblewrap that hangs" "$("$HELPERS/life" -g -k TERM:500 unshare -m sh -c \
		'mount --bind "$1" /usr/bin/bwrap; shift; exec "$@"' sh "$T/slow" "$SRUN" -q -f "$T/grant.ini" true 2>&1)" "signal TERM"
	check "nothing of it is left" wait_for 2 nothing_runs
fi

done_testing
