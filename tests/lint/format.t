#!/bin/sh
# format: every C file is as .clang-format says ('make fmt' does it).
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# The sources were formatted with this version; another one may differ in a detail.
KNOWN=14
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')

for file in *.c *.h mac/*.c mac/*.h tests/*/*.c tests/*/*.h; do
	[ -e "$file" ] || continue
	if said=$(clang-format --dry-run -Werror "$file" 2>&1); then
		ok "$file"
	elif [ "$version" != "$KNOWN" ]; then
		skip "$file" "clang-format $version would format it otherwise, $KNOWN decides"
	else
		not_ok "$file"
		diag "$(printf '%s\n' "$said" | head -n 6)"
	fi
done

done_testing
