#!/bin/sh
# check: --check says whether the grant is valid and what it means here; --print what would
# be run. Neither starts or makes anything.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a/b" "$D/c"
echo text >"$D/a/f"
grant <<-END
	[sandbox]
	timeout = 90s
	kill_after = 500ms
	[filesystem]
	deny_read = $D/a, $D/a/b
	allow_write = $D/c
	deny_write = $W/held
	create = $D/c/new
	[network]
	mode = none
END
mkdir "$W/held"
run srun_run --check
is "a valid grant: exit 0" "$rc" 0
is "nothing on stderr" "$err" ''
like "the grant" "$out" "^grant +$T/grant.ini$"
like "the backend" "$out" '^isolation +bwrap'
like "what is enforced" "$out" '^enforced +fs, deny-set, net, unix, pid$'
like "what is not" "$out" '^not enforced +nothing$'
like "the working directory" "$out" "^working directory +$W \(writable\)$"
like "the network" "$out" '^network +none$'
like "times" "$out" '^timeout +90s, kill after 500ms$'
for row in "deny_read +$D/a  \[$T/grant.ini:5\]" "allow_write +$D/c  \[$T/grant.ini:6\]" \
	"deny_write +$W/held  \[$T/grant.ini:7\]"; do
	like "rule: $row" "$out" "^  $row$"
done
like "mounts are counted, and what needed none" "$out" '^mounts +[0-9]+ \(.*1 root read-only.*\); 1 rules implied by others$'
check_not "create makes nothing" test -e "$D/c/new"

# The number is what a run has, but for what bubblewrap adds itself.
count() {
	"$SRUN" -f "$T/grant.ini" --check "$@" | sed -n 's/^mounts *\([0-9]*\).*/\1/p'
}
mkdir "$D/a/b1" "$D/c/b2"
is "a rule more inside what is closed: no mount more" "$(count --deny-read "$D/a/b1")" "$(count)"
is "a rule more elsewhere: one mount more" "$(count --deny-read "$D/c/b2")" "$(($(count) + 1))"
is "the same rule twice: none" "$(count --deny-read "$D/a" --deny-read "$D/a/")" "$(count)"

# What the deciding function says is what a run does.
run srun_run --check
inside "as --check says, so it is" "$(each EACCES ok EROFS EROFS)" -- sh -c '
	"$1" open-read "$2/a/f"; "$1" create "$2/c/x"; "$1" create "$3/held/x"; "$1" create "$2/x"' sh "$TRY" "$D" "$W"

run srun_run --print -- prog 'an arg' "quo'te"
is "--print: exit 0" "$rc" 0
is "--print: nothing on stderr" "$err" ''
like "--print: the helper" "$out" '^helper: (/usr)?/bin/bwrap --args [0-9]+ --'
like "--print: namespaces by name" "$out" '^  --unshare-user$'
like "--print: a mask" "$out" "^  --tmpfs $D/a$"
like "--print: a write root" "$out" "^  --bind $D/c $D/c$"
like "--print: environment" "$out" '^  SRUN=1$'
like "--print: the command, quoted" "$out" "^command: prog 'an arg' 'quo'\\\\''te'$"
unlike "--print: the policy is not in the helper's argv" "$(printf '%s\n' "$out" | grep '^helper')" "$D"
run srun_run --print
is "--print without a command" "$rc" 0

echo 'deny_read = /x' | grant
run srun_run --check
is "an invalid grant: exit" "$rc" 125
like "and the line" "$err" "^srun: $T/grant.ini:1: "
is "and no policy" "$out" ''
run "$SRUN" -f "$T/absent.ini" --check
is "a missing grant: exit" "$rc" 125

# A writer that is gone.
echo | grant
run sh -c '"$1" -f "$2" --check >/dev/full' sh "$SRUN" "$T/grant.ini"
is "an output that cannot be written: exit" "$rc" 125
like "and said" "$err" "^srun: cannot write"

done_testing
