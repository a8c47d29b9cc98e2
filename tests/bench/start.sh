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
mkdir "$dir/work" "$dir/temp"
cp "$build/bench/nothing" "$dir/work/nothing"
"$build/gen/mkfilter" raw >"$dir/filter"
cd "$dir/work"

# What srun would give bubblewrap, with a temporary directory of ours in place of its own.
"$srun" -q --print -- ./nothing | sed -n 's/^  \(--.*\)$/\1/p' |
	sed "s|/[^ ]*/srun\\.[a-z2-7]*|$dir/temp|g; s|--chdir /|--chdir $dir/work|" |
	grep -v -e '^--as-pid-1$' >"$dir/args"
# Names that are held exist only while srun runs: for the comparison they are made here.
while read -r option path; do
	case $option in
	--tmpfs) [ -e "$path" ] || mkdir -p "$path" ;;
	esac
done <"$dir/args"
eval "set -- $(tr '\n' ' ' <"$dir/args")"
"$build/bench/interleave" 9 "$dir/filter" "$rounds" bwrap "$@" --seccomp 9 ./nothing --- \
	"$srun" -q ./nothing --- "$srun" -q --isolation none ./nothing --- ./nothing
