#!/bin/sh
# pty-inside: programs that make a terminal of their own (script, Python's pty, tmux) work.
. "$(dirname "$0")/../lib.sh"

export TERM=xterm
for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\npass_env = TERM\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	run "$@" "$HELPERS/pty" '?size' '=hello\n' '?got hello' -- sh -c 'echo size $(stty size); read x; echo "got $x"; exit 6' </dev/null
	is "$isolation: a terminal made inside" "$rc" 6
	like "$isolation: has its size" "$out" '^size 24 80'
	run "$@" "$HELPERS/pty" -- tty </dev/null
	like "$isolation: and a name" "$out" '^/dev/pts/[0-9]+$'
	if command -v script >/dev/null; then
		run "$@" script -qec 'tty; exit 5' /dev/null </dev/null
		is "$isolation: script" "$rc" 5
		like "$isolation: script: the terminal" "$out" '^/dev/pts/'
	fi
	if python3 -c 1 2>/dev/null; then
		run "$@" python3 -c 'import pty,os,sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", "tty; exit 4"])))' </dev/null
		is "$isolation: Python's pty" "$rc" 4
	fi
	if command -v tmux >/dev/null; then
		printf '[sandbox]\nisolation = %s\npass_env = TERM\n[unix_sockets]\nmode = all\n' "$isolation" | grant
		run "$@" sh -c 'export TMUX_TMPDIR="$TMPDIR"; tm() { tmux -f /dev/null -L in "$@"; }
			tm new-session -d "echo in-tmux; tty; exec sleep 20" || exit 9
			for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; tm capture-pane -p | grep -q pts && break; done
			tm capture-pane -p | head -n 2; tm kill-server' </dev/null
		is "$isolation: tmux" "$rc" 0
		like "$isolation: tmux: a window has its terminal" "$out" '^/dev/pts/'
	fi
done

# The host's other terminals are not there.
printf '[sandbox]\nisolation = bwrap\n' | grant
run "$HELPERS/pty" -- sh -c '"$@" ls /dev/pts' sh "$SRUN" -q -f "$T/grant.ini"
is "the host's terminals are not seen" "$out" ptmx

done_testing
