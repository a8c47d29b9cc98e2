#!/bin/sh
# serial: yes
# terminal-shared: srun leaves the terminal to others that use it at the same time: a pager
# behind it, a script that started it in the background, a background job's output.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
cat >"$T/pager" <<-'END'
	cat >/dev/null
	echo pager
	read -r key </dev/tty
	echo "key-$key"
END
cat >"$T/background" <<-'END'
	"$@" sleep 1 &
	sleep 0.4
	read -r x </dev/tty
	echo "got $x"
	wait
	echo "rc $?"
END

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	srun="$*"
	# in an interactive shell, and in a script, where all is one group
	run "$pty" '?@ ' "=$srun seq 10 | sh $T/pager; echo rc-\$?\\n" '?pager' '=q\n' '?key-q' '?rc-0' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: a pager reads keys, the command has ended" "$rc" 0
	run "$pty" '?@ ' "=$srun sh -c 'seq 10; exec >&-; sleep 1' | sh $T/pager; echo rc-\$?\\n" '?pager' '~100' '=q\n' '?key-q' '?rc-0' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: a pager reads keys while the command runs" "$rc" 0
	run "$pty" '?pager' '~100' '=q\n' '?key-q' -- \
		sh -c '"$@" sh -c "seq 10; exec >&-; sleep 0.8" | sh "$0"; echo rc' "$T/pager" "$@"
	is "$isolation: the same in a script" "$rc" 0
	run "$pty" '?pager' '~100' '=q\n' '?key-q' -- sh -c 'seq 10 | "$@" sh "$0"; echo rc' "$T/pager" "$@"
	is "$isolation: the pager under srun" "$rc" 0
	run "$pty" '?pager' '~100' '=q\n' '?key-q' -- sh -c '"$@" seq 10 | "$@" sh "$0"; echo rc' "$T/pager" "$@"
	is "$isolation: both" "$rc" 0
	run "$pty" '?pager' '~100' '=q\n' '?key-q' -- \
		sh -c '"$@" sh -c "seq 10; exec >&-; sleep 0.8" | "$@" sh "$0"; echo rc' "$T/pager" "$@"
	is "$isolation: both at the same time" "$rc" 0
	run "$pty" '~600' '=hello\n' '?got hello' '?rc 0' -- sh "$T/background" "$@"
	is "$isolation: a script reads while srun runs in its background" "$rc" 0
	run "$pty" '~600' '=hello\n' '?got hello' '?rc 0' -- bash "$T/background" "$@"
	is "$isolation: bash too" "$rc" 0

	# A background job may write and may set the terminal's size and nothing stops it.
	run "$pty" '?@ ' "=$srun true &\\n" '?@ ' '=wait $!; echo rc-$?\n' '?rc-0' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: in the background it starts and ends without a stop" "$rc" 0
	# a program that knows no job control of its own
	if python3 -c 1 2>/dev/null; then
		run "$pty" '?up' '=hello\n' '?got hello' -- python3 -c '
import subprocess, sys
assert subprocess.run(sys.argv[1:]).returncode == 0
p = subprocess.Popen(sys.argv[1:-1] + ["sleep", "0.5"], stdin=subprocess.DEVNULL)
print("up", flush=True)
print("got", input(), flush=True)
sys.exit(p.wait())' "$@" true
		is "$isolation: called by a program that reads the terminal itself" "$rc" 0
	fi
done

done_testing
