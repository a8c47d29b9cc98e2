#!/bin/sh
# descriptors: of the caller's descriptors the command gets 0, 1, 2 and those named with
# --keep-fd. A directory left open would be a way around every rule.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo secret >"$D/f"
grant <<-END
	[filesystem]
	deny_read = $D
END
list='"$1" fds | cut -d " " -f 1 | tr "\n" " "'
is "control: a directory's descriptor is inherited bare" "$(sh -c 'cat /proc/self/fd/9/f' 9<"$D")" secret
is "under srun it is not there" "$(srun_run -q -- sh -c 'cat /proc/self/fd/9/f 2>/dev/null || echo no' 9<"$D")" no
is "only three are" "$(srun_run -q -- sh -c "$list" sh "$TRY" 9<"$D" 7<"$D/f" </dev/null)" "0 1 2 "
is "also with the numbers srun uses itself" \
	"$(srun_run -q -- sh -c "$list" sh "$TRY" </dev/null 3<"$D" 4<"$D" 5<"$D" 6<"$D" 8<"$D")" "0 1 2 "
is "a named one is" "$(srun_run -q --keep-fd 7 -- sh -c "$list; cat <&7" sh "$TRY" 9<"$D" 7<"$D/f" </dev/null)" "0 1 2 7 secret"
is "two named ones are" "$(srun_run -q --keep-fd 7 --keep-fd 4 -- sh -c "$list" sh "$TRY" 4<"$D/f" 9<"$D" 7<"$D/f" </dev/null)" "0 1 2 4 7 "
refused "one that is not open" "keep-fd 9: the descriptor is not open" -f "$T/grant.ini" --keep-fd 9 -- true
refused "one that is no number" "keep-fd 'x'" -f "$T/grant.ini" --keep-fd x -- true
refused "a grant's that is not open" "grant-fd 9" --grant-fd 9 -- true
is "the grant's own descriptor is closed" \
	"$("$SRUN" -q --grant-fd 7 -- sh -c "$list" sh "$TRY" 7<"$T/grant.ini" </dev/null)" "0 1 2 "

run "$SRUN" -q -f "$T/grant.ini" -- sh -c 'echo out; echo err >&2' <&-
is "a closed stdin is /dev/null, not another file" "$out $err $rc" "out err 0"

done_testing
