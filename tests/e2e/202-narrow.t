#!/bin/sh
# narrow: a second grant can only take away.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a" "$D/b" "$D/c"
for dir in a b c; do
	echo text >"$D/$dir/f"
done
grant <<-END
	[sandbox]
	timeout = 10s
	pass_env = ONE, TWO
	[filesystem]
	allow_write = $D/a, $D/b
	deny_read = $D/c
	[network]
	mode = all
END
export ONE=1 TWO=2
narrow() {
	cat >"$T/narrow.ini"
}

narrow <<-END
	[sandbox]
	timeout = 1h
	pass_env = TWO, THREE
	[filesystem]
	allow_write = $D/b, $D/c
END
allowed "control: without it the first root is written" -- "$TRY" create "$D/a/x"
denied EROFS "a root that only the first has" --narrow "$T/narrow.ini" -- "$TRY" create "$D/a/x"
allowed "a root that both have" --narrow "$T/narrow.ini" -- "$TRY" create "$D/b/x"
inside "a root that only the second has" refused --narrow "$T/narrow.ini" -- sh -c '
	case $("$1" create "$2/c/x") in EACCES | EROFS) echo refused ;; esac' sh "$TRY" "$D"
inside "what the first closes stays closed" EACCES --narrow "$T/narrow.ini" -- "$TRY" open-read "$D/c/f"
inside "variables of both" "unset 2" --narrow "$T/narrow.ini" -- sh -c 'echo "${ONE-unset} $TWO"'
like "the shorter timeout" "$("$SRUN" -f "$T/grant.ini" --narrow "$T/narrow.ini" --check)" '^timeout +10s'

narrow <<-END
	[filesystem]
	deny_read = $D/a
	allow_read = $D/c
	write_working_directory = no
END
denied EACCES "the second closes" --narrow "$T/narrow.ini" -- "$TRY" open-read "$D/a/f"
inside "and does not open" EACCES --narrow "$T/narrow.ini" -- "$TRY" open-read "$D/c/f"
denied EROFS "and takes the working directory" --narrow "$T/narrow.ini" -- "$TRY" create "$W/x"

narrow <<-END
	[network]
	mode = none
END
inside "and the network" ENETUNREACH --narrow "$T/narrow.ini" -- "$TRY" send-udp 198.51.100.1 9
allowed "what it does not name it does not narrow" --narrow "$T/narrow.ini" -- "$TRY" create "$D/a/x"

narrow <<-END
	[network]
	mode = all
END
printf '[network]\nmode = none\n' >"$T/none.ini"
run "$SRUN" -q -f "$T/none.ini" --narrow "$T/narrow.ini" -- "$TRY" send-udp 198.51.100.1 9
is "a wider second grant widens nothing" "$out" ENETUNREACH

printf '[filesystem]\nallow_write = %s\n' "$D/a" >"$T/n1.ini"
printf '[filesystem]\nallow_write = %s\ndeny_write = %s\n' "$D" "$D/b" >"$T/n2.ini"
inside "two of them" "$(each ok EROFS)" --narrow "$T/n1.ini" --narrow "$T/n2.ini" -- \
	sh -c '"$1" create "$2/a/x"; "$1" create "$2/b/x"' sh "$TRY" "$D"
refused "a missing one" "$T/absent.ini" -f "$T/grant.ini" --narrow "$T/absent.ini" -- true
printf '[filesystem]\nallow_wirte = /x\n' >"$T/n1.ini"
refused "a bad one, with its line" "n1.ini:2: .*allow_write" -f "$T/grant.ini" --narrow "$T/n1.ini" -- true

done_testing
