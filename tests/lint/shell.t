#!/bin/sh
# shell: every shell script passes shellcheck, can be run if it is a program, and is
# indented with tabs.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

for file in .ci/run tests/run tests/packages tests/seatbelt/check tests/seatbelt/same tests/seatbelt/fake-sandbox-exec tests/mac/zig tests/mac/build tests/mac-probe tests/*.sh tests/*/*.t tests/*/*.sh; do
	[ -e "$file" ] || continue
	# SC1091, SC2153: the sourced library is itself in this list. SC2154: and it sets out, err, rc.
	off=SC1091,SC2153,SC2154
	# e2e: sh -c '… "$1" …' and a grant's '~' are for the program under test, not for this shell.
	case $file in
	# SC3045: every sh of a Debian or Alpine knows the limits that are used.
	tests/e2e/*) off=$off,SC2016,SC2088,SC3045,SC2094,SC1003 ;;
	tests/pending/*) continue ;;
	esac
	check "shellcheck $file" shellcheck -e "$off" "$file"
	case $file in
	tests/lib.sh | */lib.sh) ;;
	*) check "can be run: $file" test -x "$file" ;;
	esac
done

done_testing
