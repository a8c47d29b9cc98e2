#!/bin/sh
# scan-limits: a write root with more directories than one run looks at: said aloud, no
# other root suffers, the next run goes on, and what was once seen stays protected.
# Twenty thousand directories are made in memory, in a mount namespace of the test's own.
if [ "${1:-}" != inside ] && unshare -Urm true 2>/dev/null; then
	exec unshare -Urm sh "$0" inside
fi
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"
[ "${1:-}" = inside ] || skip_all "no user namespace can be made here"
mount -t tmpfs none "$D" || exit 1
trap 'umount -l "$D"; clean_up' EXIT

mkdir -p "$D/huge/r/repo/.git/hooks" "$D/huge/r/repo/.git/objects" "$D/huge/r/repo/.git/refs" \
	"$D/next/repo/.git/hooks" "$D/next/repo/.git/objects" "$D/next/repo/.git/refs"
touch "$D/huge/r/repo/.git/HEAD" "$D/next/repo/.git/HEAD"
(cd "$D/huge" && seq -f 'd%.0f' 20100 | xargs mkdir)
grant <<-END
	[filesystem]
	allow_write = $D/huge, $D/next
	write_working_directory = no
END

inside "the control: a hook can be made there by whoever may write" ok --isolation none -- \
	"$TRY" create "$D/next/repo/.git/hooks/control"
rm -f "$D/next/repo/.git/hooks/control"
run srun_run -- "$TRY" create "$D/next/repo/.git/hooks/x"
is "a huge root takes nothing from the next one" "$out" EROFS
like "it is said, with what to do" "$err" \
	"^srun: the scan of '$D/huge' for protected names stopped short after [0-9]+ directories: .* \[the next run goes on"
is "for that root alone, in one line" "$(grep -c "stopped short" "$T/err")" 1
like "--check says so" "$(srun_run --check)" "^  the scan of '$D/huge' for protected names stopped short"
run srun_run -q -- true
is "-q is quiet" "$err" ''

# Directories younger than two seconds are read again, so they have to age.
sleep 2.5
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	# A busy machine may need more of them.
	run srun_run -- true
	[ -n "$err" ] || break
done
is "after some runs there is nothing left to say" "$err" ''
inside "and all is protected" EROFS -- "$TRY" create "$D/huge/r/repo/.git/hooks/x"

# What a command can do: put more in front.
(cd "$D/huge" && seq -f 'e%.0f' 20100 | xargs mkdir)
inside "what was seen before stays protected" EROFS -- "$TRY" create "$D/huge/r/repo/.git/hooks/x"

# Mounts without number: bubblewrap takes 9,000 arguments, and what srun mounts itself is
# not among them.
few() {
	echo '[filesystem]'
	echo 'write_working_directory = no'
	"$@"
}
each_of() {
	seq -f "$1 = $D/huge/d%.0f$2" 3100
}
few each_of allow_write '' >"$T/roots.ini"
refused "thousands of write roots are refused before anything is made" \
	"^srun: this grant writes in 3100 directories and 0 repositories, .* \[name a directory above" \
	-f "$T/roots.ini" -- true
is "and nothing is left in them" "$(find "$D/huge/d1" "$D/huge/d2" -mindepth 1)" ''
{
	few each_of deny_write ''
	echo "allow_write = $D/huge"
} | grant
inside "3,100 denied paths are mounted" EROFS -q -- "$TRY" create "$D/huge/d3100/x"
run "$HELPERS/nocall" setns EPERM "$SRUN" -q -f "$T/grant.ini" -- true
is "where bubblewrap has to do it: exit" "$rc" 125
like "in words, with advice" "$err" \
	"^srun: bwrap cannot set up this grant: the grant needs more mounts than bubblewrap can make \[name directories"

done_testing
