#!/bin/sh
# callers: srun where programs start programs: under timeout, nohup, setsid, script, xargs, find
# and make, without a session's terminal, by a subreaper, and by the first process of a
# namespace: each sees what it would see of the command itself.
. "$(dirname "$0")/../lib.sh"

# Seconds that no other test sleeps.
own=7$$
left() {
	pgrep -fc "^sleep ${own}[.]" || :
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	start=$(now_ms)
	run timeout 0.5 "$@" sleep "$own.1"
	took=$(($(now_ms) - start))
	check "$isolation: timeout: 124 in time ($rc, $took ms)" test "$rc" -eq 124 -a "$took" -lt 2500
	run timeout -s INT 0.5 "$@" sh -c 'trap "echo int; exit 7" INT; while :; do sleep 0.05; done'
	is "$isolation: timeout -s INT: the command decides" "$rc $out" "124 int"
	run timeout -s KILL 0.5 "$@" sh -c 'trap "" TERM; setsid sleep "$0.2" & sleep "$0.2"' "$own"
	is "$isolation: timeout -s KILL" "$rc" 137
	run timeout -k 0.3 0.3 "$@" sh -c 'trap "" TERM; sleep "$0.3"; sleep "$0.3"' "$own"
	is "$isolation: timeout -k" "$rc" 137
	is "$isolation: none is left" "$(wait_for 3 test "$(left)" -eq 0; left)" 0

	run nohup "$@" sh -c 'echo out; exit 4'
	is "$isolation: nohup" "$rc $out" "4 out"
	run setsid -w "$@" sh -c 'ps -o tty= -p $$; exit 4'
	is "$isolation: setsid" "$rc $out" "4 ?"
	if command -v script >/dev/null; then
		run script -qec "$* sh -c 'test -t 0 && echo in; exit 5'" /dev/null
		like "$isolation: script -c: out" "$out" '^in'
		is "$isolation: script -c: exit" "$rc" 5
	fi
	is "$isolation: xargs -P" "$(seq 12 | xargs -P 6 -n 1 "$@" sh -c 'echo "n$0"' | sort -V | tr '\n' ' ')" \
		"n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12 "
	run sh -c 'echo 1 | xargs "$@" sh -c "exit 255"' sh "$@"
	is "$isolation: xargs sees 255" "$rc" 124
	: >one
	: >two
	is "$isolation: find -exec" "$(find . -name 'one' -exec "$@" sh -c 'test "$0" = ./one' {} \; -print)" ./one
	is "$isolation: find -exec that fails" "$(find . -name 'two' -exec "$@" false {} \; -print)" ''
	if command -v make >/dev/null; then
		printf 'all: a b c d\na b c d:\n\t@$(S) sh -c "echo $@; test ! -e no-$@"\n' >mk
		is "$isolation: make -j, in front of each line" "$(make -s -j 4 -f mk "S=$*" | sort | tr '\n' ' ')" "a b c d "
		: >no-b
		run make -s -f mk "S=$*" b
		is "$isolation: make sees a failure" "$rc" 2
		rm no-b
	fi
	is "$isolation: in a pipeline with a reader that ends first" \
		"$("$HELPERS/life" sh -c '"$@" yes | head -n 1' sh "$@")" "y
exit 0"
	is "$isolation: no terminal, no session: as cron does it" \
		"$(setsid -w "$@" sh -c 'read x; echo "end $?"; tty' </dev/null 2>&1)" "end 1
not a tty"
	# A caller that is a subreaper gets no children that it did not make.
	is "$isolation: a subreaper" "$("$HELPERS/storm" -n 3 -w 600 -m 1000 -s 0 "$@" sh -c 'setsid sleep 0.2 & exit 0' | sed 's/, [0-9]* ms//')" "3 runs, 0 left"
	if is_root && unshare -p true 2>/dev/null; then
		run unshare -fp --mount-proc "$@" sh -c 'sleep 0.1 & exit 6'
		is "$isolation: started as the first process of a namespace" "$rc" 6
		run unshare -fp --mount-proc sh -c '"$@" sh -c "exit 6"; echo "rc $?"; pgrep -xc srun' sh "$@"
		is "$isolation: by the first process of a namespace" "$out" "rc 6
0"
	fi
done

done_testing
