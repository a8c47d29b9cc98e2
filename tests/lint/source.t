#!/bin/bash
# source: what STYLE asks of a file that no tool checks: a first line that says what the
# file is, a header for each room, lengths, banned calls.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

MAX_FILE=800
MAX_FUNCTION=100

# The first two lines are "/*" and " * NAME: what it is".
first_line() {
	head -n 2 "$1" | tr '\n' ' ' | grep -q "^/\* \+\* \+$(basename "$1"): [^ ]"
}

# Functions longer than the limit; the format puts '{' and '}' of a function in column 0.
long_functions() {
	awk -v max="$MAX_FUNCTION" '
		/^[a-z_][A-Za-z0-9_]*\(/ { name = $0; sub(/\(.*/, "", name) }
		/^\{/ { start = NR }
		/^\}/ { if (start && NR - start - 1 > max) print FILENAME ": " name ": " NR - start - 1 " lines"; start = 0 }
	' "$1"
}

# The text without comments and without what stands in quotes.
code() {
	cc -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null | sed 's/"\([^"\\]\|\\.\)*"/""/g'
}

BANNED='strcpy|strcat|stpcpy|sprintf|vsprintf|strtok|system|popen|alloca|mktemp|tmpnam|tempnam|atoi|atol|atoll|atof|signal|vfork|gets|setjmp|longjmp'

for file in *.c *.h; do
	[ -e "$file" ] || continue
	check "$file: the first line says what it is" first_line "$file"
	lines=$(wc -l <"$file")
	check "$file: under $MAX_FILE lines ($lines)" test "$lines" -lt "$MAX_FILE"
	is "$file: no function over $MAX_FUNCTION lines" "$(long_functions "$file")" ''
	case $file in
	srun.c | mkfilter.c | musl_shim.c) ;;
	*.c) check "$file: has its header ${file%.c}.h" test -e "${file%.c}.h" ;;
	*.h) check "$file: guarded once" sh -c "grep -q '^#ifndef SRUN_.*_H\$' $file" ;;
	esac
done

for file in *.c *.h mac/*.c mac/*.h tests/*/*.c tests/*/*.h; do
	[ -e "$file" ] || continue
	banned=$BANNED
	[ "$file" = resolve.c ] || banned="$banned|pthread_create"
	is "$file: no banned call" "$(code "$file" | grep -nE "(^|[^A-Za-z0-9_])($banned) *\(" | head -n 5)" ''
	is "$file: no __DATE__, __TIME__" "$(code "$file" | grep -nEw '__(DATE|TIME|TIMESTAMP)__')" ''
done

# A file of the tree does not know where one developer keeps it.
place='(^|[^A-Za-z0-9_.~}-])/wor''k(/|$|[^A-Za-z0-9_-])|(^|[^A-Za-z])sha''red/'
is "no file names a place of the machine it was written on" \
	"$(find . -type f ! -path './.git' ! -path './.git/*' ! -path './build/*' ! -name '*.tar.gz' ! -path './srun' \
		-exec grep -nIE -e "$place" {} + | head -n 10)" ''

done_testing
