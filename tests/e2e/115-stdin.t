#!/bin/sh
# stdin: the command's three streams are the caller's own, untouched: srun reads no byte of
# stdin, waits for no end of it, and holds no end of a pipe.
. "$(dirname "$0")/../lib.sh"

# quick NAME COMMAND...: ends long before the 5 s that others take
quick() {
	name=$1
	shift
	start=$(now_ms)
	out=$("$@")
	took=$(($(now_ms) - start))
	check "$isolation: $name ($took ms)" test "$took" -lt 3000
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	# The writer outlives srun; only srun is waited for.
	mkfifo "$W/in"
	sleep 5 >"$W/in" &
	writer=$!
	quick "a stdin that stays open is not waited for" sh -c '"$@" echo hi <in' sh "$@"
	is "$isolation: and the command ran" "$out" hi
	kill "$writer"
	rm "$W/in"

	is "$isolation: what the command leaves is the caller's" \
		"$(printf 'a\nb\nc\n' | ("$@" sh -c 'read x; echo "<$x>"'; cat))" "<a>
b
c"
	printf 'a\nb\n' >"$W/lines"
	is "$isolation: in a file too" "$( ("$@" sh -c 'read x; echo "<$x>"'; cat) <"$W/lines")" "<a>
b"
	is "$isolation: a loop that reads is not drained" \
		"$(printf '1\n2\n3\n' | while read -r n; do "$@" echo "n$n" </dev/null; done | tr '\n' ' ')" "n1 n2 n3 "
	is "$isolation: a position in a file moves for both" \
		"$( (echo one; "$@" echo two; echo three) >"$W/f"; cat "$W/f")" "one
two
three"
	is "$isolation: binary through both ends" \
		"$(head -c 3000000 /dev/urandom >"$W/bin"; "$@" cat <"$W/bin" | cmp - "$W/bin" && echo same)" same
	is "$isolation: the same descriptors, to the inode" \
		"$("$@" stat -L -c '%d:%i' /proc/self/fd/0 <"$W/bin")" "$(stat -L -c '%d:%i' "$W/bin")"
	is "$isolation: append stays append" "$(: >"$W/g"; "$@" sh -c 'echo b' >>"$W/g"; echo a >>"$W/g"; cat "$W/g")" "b
a"
	run "$@" sh -c 'echo out; echo err >&2'
	is "$isolation: out and err stay apart" "$out|$err" "out|err"
	is "$isolation: one pipe for both keeps their order" \
		"$("$@" sh -c 'echo 1; echo 2 >&2; echo 3; echo 4 >&2' 2>&1 | tr '\n' ' ')" "1 2 3 4 "

	# The command closes its output early: the reader sees the end at once.
	quick "a closed stdout is an end for the reader" sh -c '("$@" sh -c "echo x; exec >&-; sleep 4" &) | cat' sh "$@"
	pkill -f "^$SRUN -q -f $T/grant.ini" 2>/dev/null
	quick "a reader that goes away ends the writer" sh -c '"$@" yes | head -n 1' sh "$@"
	is "$isolation: of the pipe the writer's end is closed as well" \
		"$(sh -c 'seq 100000 | "$@" head -n 1; echo done' sh "$@" | tr '\n' ' ')" "1 done "
done

done_testing
