#!/bin/sh
# two-states: runs of one user with different places for their state, as from a session and
# from cron: the end of one leaves the names of the other held.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

grant <<-END
	[filesystem]
	allow_write = $W
END
mkdir -m 700 "$T/run" "$T/run2"
mkfifo "$T/go1" "$T/go2"

# hold NAME [VARIABLE=VALUE]: a run that says when it is there and waits for its fifo, then
# tries to make a held name.
hold() {
	env ${2:+"$2"} "$SRUN" -q -f "$T/grant.ini" -- sh -c '
		echo up >"$1.up"; read -r x <"$2"; "$3" create .envrc; "$3" mkdir .vscode' \
		sh "$W/$1" "$T/$1" "$TRY" >"$T/$1.out" 2>&1 &
	wait_for 10 test -e "$W/$1.up" || not_ok "$1 starts"
}

for order in "'' XDG_RUNTIME_DIR=$T/run" "XDG_RUNTIME_DIR=$T/run ''" \
	"XDG_RUNTIME_DIR=$T/run XDG_RUNTIME_DIR=$T/run2"; do
	what=$(printf '%s' "$order" | sed "s|$T/||g; s|XDG_RUNTIME_DIR=||g")
	eval "set -- $order"
	hold go1 "$1"
	first=$!
	hold go2 "$2"
	second=$!
	check "$what: both are held" test -d .envrc -a -d .vscode
	echo >"$T/go1"
	wait "$first"
	check "$what: the first ends: still held" test -d .envrc -a -d .vscode
	is "$what: the first was refused" "$(paste -sd ' ' "$T/go1.out")" "EEXIST EEXIST"
	echo >"$T/go2"
	wait "$second"
	is "$what: and the second, which is left alone" "$(paste -sd ' ' "$T/go2.out")" "EEXIST EEXIST"
	rm -f "$W"/*.up
	is "$what: nothing is left" "$(find "$W" -mindepth 1)" ''
done

# Killed with no time to tidy, while another of another place goes on.
hold go1 ""
first=$!
hold go2 "XDG_RUNTIME_DIR=$T/run"
second=$!
kill -9 "$first"
wait "$first" 2>/dev/null
sleep 0.3
check "one is killed: still held" test -d .envrc
echo >"$T/go2"
wait "$second"
rm -f "$W"/*.up
is "the other is refused" "$(paste -sd ' ' "$T/go2.out")" "EEXIST EEXIST"
is "and the last one tidies up" "$(find "$W" -mindepth 1)" ''

# What cannot be held must not pass.
run sh -c 'ulimit -n 20; exec "$@"' sh "$SRUN" -q -f "$T/grant.ini" -- true
check "with few descriptors it runs, or it ends with 125" test "$rc" -eq 0 -o "$rc" -eq 125
is "and nothing is left then" "$(find "$W" -mindepth 1)" ''

done_testing
