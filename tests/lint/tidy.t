#!/bin/bash
# tidy: clang-tidy finds nothing in any room.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

CHECKS='-*,bugprone-*,cert-*,clang-analyzer-*,android-cloexec-*'
# Off, with reasons:
# two arguments of one type side by side are what C has: path, path
CHECKS=$CHECKS,-bugprone-easily-swappable-parameters
# memcpy, snprintf: asks for Annex K, which no libc here has
CHECKS=$CHECKS,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
# asks for braces and parentheses in macros that build initialisers
CHECKS=$CHECKS,-bugprone-macro-parentheses
# a switch over an enum has no default so that -Wswitch-enum finds what is missing
CHECKS=$CHECKS,-bugprone-switch-missing-default-case
# calls whose failure changes nothing (close, kill of what is gone) are left unchecked
CHECKS=$CHECKS,-cert-err33-c
# an assignment in a condition: 'while ((n = read(…)) > 0)'
CHECKS=$CHECKS,-bugprone-assignment-in-if-condition
# glibc-style names: _GNU_SOURCE is defined on the command line; musl_shim.c needs them
CHECKS=$CHECKS,-bugprone-reserved-identifier,-cert-dcl37-c,-cert-dcl51-cpp
# sizes are written as 16 * 1024
CHECKS=$CHECKS,-bugprone-implicit-widening-of-multiplication-result
# memcpy of a text whose NUL is put by the next line
CHECKS=$CHECKS,-bugprone-not-null-terminated-result
# a chain of conditions follows the order of the rules, also where two do the same
CHECKS=$CHECKS,-bugprone-branch-clone
# 'a ? b : c' with a small number in it reads as it is written
CHECKS=$CHECKS,-bugprone-narrowing-conversions

one() {
	# stdout has the findings, stderr only how many were not shown
	clang-tidy --quiet --checks="$CHECKS" --warnings-as-errors='*' "$1" -- \
		-std=gnu11 -D_GNU_SOURCE -DSRUN_VERSION='"0"' -iquote . -iquote build/gen >"$T/$1.said" 2>"$T/$1.err"
	echo $? >"$T/$1.rc"
}

for file in *.c; do
	while [ "$(jobs -pr | wc -l)" -ge 2 ]; do wait -n; done
	one "$file" &
done
wait
for file in *.c; do
	if [ "$(cat "$T/$file.rc")" = 0 ]; then
		ok "clang-tidy $file"
	else
		not_ok "clang-tidy $file"
		diag "$(grep -A 2 -e ' error: ' -e ' warning: ' "$T/$file.said" | head -n 40)"
		diag "$(grep -v 'warnings\? \(generated\|treated\)' "$T/$file.err" | head -n 5)"
	fi
done

done_testing
