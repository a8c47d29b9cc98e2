#!/bin/bash
# fuzz: every fuzz target runs its corpus, and then some seconds of its own inputs.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

SECONDS_EACH=2

for file in tests/fuzz/fuzz_*.c; do
	target=$(basename "$file" .c)
	target=${target#fuzz_}
	check "$target has a corpus" test -n "$(ls -A "tests/fuzz/corpus/$target" 2>/dev/null)"
	check "$target takes its corpus" make fuzz-corpus FUZZ="$target"
	check "$target, $SECONDS_EACH s" make fuzz FUZZ="$target" FUZZ_SECONDS=$SECONDS_EACH
done

done_testing
