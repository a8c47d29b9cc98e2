#!/bin/sh
# seatbelt-print: the profile for macOS can be read here; nothing is run under it.
. "$(dirname "$0")/../lib.sh"

odd='a")) (allow default) ((b'
mkdir "$D/secret" "$W/keep" "$D/$odd"
grant <<END
[filesystem]
deny_read = $D/secret, "literal:$D/$odd"
deny_write = $W/keep
END
# A name with a quote in it is no quoted value.
sed -i "s|^deny_read.*|deny_read = $D/secret\\ndeny_read = literal:$D/$odd|" "$T/grant.ini"

run srun_run --isolation seatbelt --print -- cat x
is "--print succeeds" "$rc" 0
is "… and says nothing else" "$err" ''
like "the profile is there" "$out" '^[(]deny default [(]with message "srun-[0-9a-f]{16}"'
like "paths are parameters" "$out" "=$D/secret"
sed -n '/^profile:$/,/^filter:/p' "$T/out" >"$T/profile"
check "the profile has been found" test -s "$T/profile"
check_not "no path of the grant is in its text" grep -qF "$D" "$T/profile"
check_not "… nor any part of a name" grep -q '(allow default)' "$T/profile"
sed 's/srun[-.][0-9a-f]\{16\}/NONCE/' "$T/profile" >"$T/one"
srun_run --isolation seatbelt --print -- true | sed -n '/^profile:$/,/^filter:/p' >"$T/again"
check_not "another run has another nonce" cmp -s "$T/profile" "$T/again"
sed 's/srun[-.][0-9a-f]\{16\}/NONCE/' "$T/again" >"$T/two"
check "… and the same profile" cmp "$T/one" "$T/two"

refused "running under it is refused" "isolation unavailable: seatbelt: it is part of macOS" \
	-f "$T/grant.ini" --isolation seatbelt -- true
refused "so is --check" "isolation unavailable: seatbelt" \
	-f "$T/grant.ini" --isolation seatbelt --check
run srun_run -- true
is "auto does not speak of it" "$rc $err" '0 '
run srun_run --isolation seatbelt --set sandbox.temp=tmp --print -- true
is "what it cannot express is refused" "$rc" 125
like "… by name" "$err" "temp 'tmp': 'seatbelt' cannot make /tmp private"
done_testing
