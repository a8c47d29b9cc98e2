#!/bin/sh
# Start-up: srun against the same bubblewrap line by hand (same mounts, same filter), and
# against the bare command. The command is a static program that does nothing.
# usage: start.sh SRUN BUILD-DIRECTORY [ROUNDS]
set -eu
srun=$(realpath "$1")
build=$(realpath "$2")
rounds=${3:-200}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
mkdir "$dir/work" "$dir/temp" "$dir/hand"
cp "$build/bench/nothing" "$dir/work/nothing"
cp "$build/bench/nothing" "$dir/hand/nothing"
"$build/gen/mkfilter" raw >"$dir/filter"
cd "$dir/work"

# compare TITLE [OPTION]...: srun with these options, and what it would give bubblewrap.
compare() {
	printf '\n%s\n' "$1"
	shift
	# With a temporary directory of ours in place of its own, and in a directory where the
	# names that are held exist: srun makes and removes them itself, and that counts.
	"$srun" -q "$@" --print -- ./nothing | sed -n 's/^  \(--.*\)$/\1/p' |
		sed "s#/[^ ]*/srun-[0-9]*/[a-z2-7]\{8\}\$#$dir/temp#; s#/[^ ]*/srun-[0-9]*/[a-z2-7]\{8\} #$dir/temp #; s|--chdir /|--chdir $dir/hand|; s|$dir/work|$dir/hand|g" |
		grep -v -e '^--as-pid-1$' >"$dir/args"
	(cd "$dir/work" && find . -mindepth 1 -type d) | (cd "$dir/hand" && xargs -r mkdir -p)
	while read -r option path; do
		case $option in
		--tmpfs) [ -e "$path" ] || mkdir -p "$path" ;;
		esac
	done <"$dir/args"
	by_hand=$(tr '\n' ' ' <"$dir/args")
	options=$*
	eval "set -- $by_hand --seccomp 9 ./nothing"
	# shellcheck disable=SC2086 # options of this script, without blanks
	"$build/bench/interleave" 9 "$dir/filter" "$rounds" bwrap "$@" --- \
		"$srun" -q $options ./nothing --- ./nothing
	find "$dir/hand" -mindepth 1 -type d -empty -delete
}

compare "a grant that writes nothing" --set filesystem.write_working_directory=no
compare "the default grant: missing names of the deny set are held while it runs"

# 50 denied paths that exist.
deny=
for i in 1 2 3 4 5; do
	for k in 0 1 2 3 4 5 6 7 8 9; do
		mkdir -p "$dir/work/d$i$k/x"
		deny="$deny --deny-write $dir/work/d$i$k/x"
	done
done
# shellcheck disable=SC2086
compare "50 denied paths, which are 50 --ro-bind by hand" $deny
rm -rf "$dir/work"/d*

printf '\nisolation none\n'
"$build/bench/interleave" 9 "$dir/filter" "$rounds" ./nothing --- \
	"$srun" -q --isolation none ./nothing
