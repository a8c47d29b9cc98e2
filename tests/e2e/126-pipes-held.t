#!/bin/sh
# serial: yes
# pipes-held: no process of srun keeps a pipe of the caller's open: what the command has
# closed is closed, and what the run had is closed with it. Only stderr is srun's too, for
# its messages, until the run ends.
. "$(dirname "$0")/../lib.sh"

# ended FD SECONDS COMMAND...: FD is a pipe, and the command given to sh; leaves two numbers,
# ms until the reader saw the end, and ms until the run was over
ended() {
	fd=$1
	shift
	rm -f "$W/p" "$T/eof"
	mkfifo "$W/p"
	start=$(now_ms)
	(cat "$W/p" >/dev/null; now_ms >"$T/eof") &
	reader=$!
	rc=0
	# exec, or the shell of the test holds it
	case $fd in
	1) (exec "$@" >"$W/p") || rc=$? ;;
	2) (exec "$@" 2>"$W/p") || rc=$? ;;
	7) (exec "$@" 7>"$W/p") || rc=$? ;;
	9) (exec "$@" 9>"$W/p") || rc=$? ;;
	esac
	over=$(($(now_ms) - start))
	wait "$reader"
	eof=$(($(cat "$T/eof") - start))
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\nkill_after = 100ms\n' "$isolation" | grant
	srun="$SRUN -q -f $T/grant.ini --keep-fd 7"
	for fd in 1 7 9; do
		# shellcheck disable=SC2086 # options are words
		ended "$fd" $srun sh -c "exec $fd>&-; sleep 1.2" 7>/dev/null
		check "$isolation: $fd, closed by the command, is closed at once ($eof of $over ms)" \
			test "$rc" -eq 0 -a "$eof" -lt $((over - 500))
	done
	for fd in 1 2 7; do
		# shellcheck disable=SC2086
		ended "$fd" $srun sh -c 'setsid sleep 5 & sleep 0.3' 7>/dev/null
		check "$isolation: $fd, held by what the command left, is closed with the run ($eof, $over ms)" \
			test "$rc" -eq 0 -a "$eof" -lt 3000 -a "$over" -lt 3000
		# shellcheck disable=SC2086
		ended "$fd" $srun --timeout 300ms sh -c 'trap "" TERM; sleep 5; sleep 5' 7>/dev/null
		check "$isolation: $fd: at a timeout ($eof, $over ms)" test "$rc" -eq 124 -a "$eof" -lt 3000
		# shellcheck disable=SC2086
		ended "$fd" "$HELPERS/life" -k KILL:300 $srun sh -c 'trap "" TERM; setsid sleep 5 & sleep 5' 7>/dev/null
		check "$isolation: $fd: when srun is killed ($eof ms)" test "$eof" -lt 3000
	done
	ended 9 "$SRUN" -q -f "$T/grant.ini" sleep 1.2
	check "$isolation: one that was not named is closed from the start ($eof of $over ms)" test "$eof" -lt $((over - 500))
	# Closed ones stay what they are: /dev/null, and srun's own files do not get their numbers.
	for how in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		rm -f "$W/fds"
		rc=0
		eval "\"\$SRUN\" -q -f \"\$T/grant.ini\" sh -c 'for n in 0 1 2; do readlink /proc/self/fd/\$n || :; done >fds; exit 3' $how" || rc=$?
		is "$isolation: $how at the start" "$rc $(grep -vc -e /dev/null -e "^$W" -e pipe -e "^$T" -e "^/" "$W/fds")" "3 0"
	done
	# A soft limit that is too low for srun is not too low for the command.
	is "$isolation: a soft limit of 12 descriptors" \
		"$(ulimit -S -n 12; srun_run -q -- sh -c 'ulimit -S -n; ulimit -H -n')" "$(ulimit -S -n 12; sh -c 'ulimit -S -n; ulimit -H -n')"
	is "$isolation: and one of the grant's" \
		"$(ulimit -S -n 40; srun_run -q --set limits.open_files=20 -- sh -c 'ulimit -S -n; ulimit -H -n' | tr '\n' ' ')" "20 20 "
done
# A hard one is said as it is.
printf '[sandbox]\nisolation = bwrap\n' | grant
run sh -c 'ulimit -n 12; exec "$@"' sh "$SRUN" -q -f "$T/grant.ini" true
is "a hard limit of 12: exit" "$rc" 125
like "its reason" "$err" '^srun: .*(descriptors|open files)'

done_testing
