#!/bin/bash
# analyzer: gcc -fanalyzer finds nothing in any room.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# Off, with reasons:
#   malloc-leak, possible-null-argument: the arena owns everything until the end of the
#   run and never gives NULL, which the analyzer cannot see across files.
OFF=(-Wno-analyzer-malloc-leak -Wno-analyzer-possible-null-argument)

one() {
	local said
	if said=$(cc -std=gnu11 -O1 -D_GNU_SOURCE -DSRUN_VERSION='"0"' -iquote . -iquote build/gen -fanalyzer "${OFF[@]}" \
		-fdiagnostics-path-format=none -Werror -c -o /dev/null "$1" 2>&1); then
		echo "ok $1"
	else
		printf 'not ok %s\n%s\n' "$1" "$said"
	fi >"$T/$1.said"
}

if ! cc --version | grep -qi 'gcc\|free software foundation'; then
	skip_all "cc is not gcc"
fi
for file in *.c; do
	while [ "$(jobs -pr | wc -l)" -ge 2 ]; do wait -n; done
	one "$file" &
done
wait
for file in *.c; do
	said=$(cat "$T/$file.said")
	case $said in
	"ok "*) ok "gcc -fanalyzer $file" ;;
	*)
		not_ok "gcc -fanalyzer $file"
		diag "$(printf '%s\n' "$said" | head -n 40)"
		;;
	esac
done

done_testing
