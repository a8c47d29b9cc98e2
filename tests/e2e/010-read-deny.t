#!/bin/sh
# read-deny: a closed subtree, opened again inside, closed again inside that; the most
# specific rule decides, whatever the order of the lines. Where something is opened below,
# the way there can be walked and what is beside it does not exist; elsewhere it is EACCES.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir -p "$D/a/open/shut/open" "$D/beside"
for dir in a a/open a/open/shut a/open/shut/open beside; do
	echo text >"$D/$dir/f"
done

lines="deny_read = $D/a
allow_read = $D/a/open
deny_read = $D/a/open/shut
allow_read = $D/a/open/shut/open"

check_all() {
	denied "EACCES|ENOENT" "$1: the closed directory" -- "$TRY" open-read "$D/a/f"
	allowed "$1: opened inside it" -- "$TRY" open-read "$D/a/open/f"
	denied "EACCES|ENOENT" "$1: closed inside that" -- "$TRY" open-read "$D/a/open/shut/f"
	allowed "$1: opened at the fourth level" -- "$TRY" open-read "$D/a/open/shut/open/f"
	allowed "$1: what no line names" -- "$TRY" open-read "$D/beside/f"
}

printf '[filesystem]\n%s\n' "$lines" | grant
check_all "from the top down"
printf '[filesystem]\n%s\n' "$(printf '%s\n' "$lines" | sort -r)" | grant
check_all "sorted the other way"
printf '[filesystem]\n%s\n' "$(printf '%s\n' "$lines" | sed -n '3p;1p;4p;2p')" | grant
check_all "mixed"

# A list in one line is the same as a line each.
grant <<-END
	[filesystem]
	allow_read = $D/a/open/shut/open, $D/a/open
	deny_read = $D/a/open/shut, $D/a
END
check_all "two lists"

denied EACCES "names are not listed in a closed directory" -- "$TRY" readdir "$D/a"
allowed "names are listed in the one opened inside" -- "$TRY" readdir "$D/a/open"
denied "EACCES|EROFS" "reading is not writing: nothing is made in what was opened" -- \
	"$TRY" create "$D/a/open/new"

done_testing
