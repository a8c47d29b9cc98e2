#!/bin/sh
# serial: yes
# job-control: ^Z, fg, bg and kill of an interactive shell work on srun as on any command.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
# Digits of seconds that no other test sleeps.
own=$$
cat >"$T/rc" <<-END
	PS1='@ '
	s() { "$SRUN" -q -f "$T/grant.ini" "\$@"; }
	state() { for p in \$(pgrep -f "\$1"); do cut -d ' ' -f 3 /proc/\$p/stat; done | sort -u | tr '\\n' ' '; echo; }
END

# at_shell NAME STEP...: all of what is waited for comes
at_shell() {
	name=$1
	shift
	run "$pty" '?@ ' "$@" '=exit 0\n' '~50' '=exit 0\n' -- bash --noprofile --rcfile "$T/rc" -i
	if [ "$rc" -eq 0 ]; then
		ok "$isolation: $name"
	else
		not_ok "$isolation: $name"
		diag "exit $rc: $out"
	fi
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	srun="$SRUN -q -f $T/grant.ini"
	at_shell "^Z stops, fg goes on and gives the terminal" \
		"=$srun sh -c 'echo u''p; read x; echo got-\$x'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'=fg\n' '~100' '=hello\n' '?got-hello' '?@ ' '=echo rc-$?\n' '?rc-0'
	at_shell "the whole tree is stopped, and goes on" \
		"=$srun sh -c 'echo u''p; sleep 0.7$own; echo en''d'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'~100' "=state '^sleep 0.7$own'\\n" '?T ' '?@ ' '=fg\n' '?end' '?@ '
	at_shell "bg goes on in the background" \
		"=$srun sh -c 'echo u''p; sleep 0.3; echo en''d'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'=bg\n' '?end' '~200' '=\n' '?Done'
	at_shell "^Z twice, then ^C" \
		"=$srun sh -c 'echo u''p; exec sleep 30'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' '=fg\n' '~400' \
		'=\cZ' '?Stopped' '?@ ' '=fg\n' '~400' '=\cC' '?@ ' '=echo rc-$?\n' '?rc-130'
	at_shell "a stopped one can be killed" \
		"=$srun sh -c 'echo u''p; exec sleep 30.$own'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'=kill %1\n' '~400' "=echo left-\$(pgrep -fc '^sleep 30.$own')\\n" '?left-0'
	at_shell "a stopped one can be killed with KILL" \
		"=$srun sh -c 'echo u''p; exec sleep 31.$own'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'=kill -9 %1; wait %1; sleep 0.3\n' '?@ ' "=echo left-\$(pgrep -fc '^sleep 31.$own')\\n" '?left-0'
	at_shell "started in the background, it runs" \
		"=$srun sh -c 'sleep 0.2; echo en''d' &\\n" '?end' '~100' '=\n' '?Done'
	at_shell "in the background it stops when it reads, as bare" \
		"=$srun sh -c 'read x; echo got-\$x' &\\n" '~300' '=\n' '?Stopped' '?@ ' \
		'=fg\n' '~150' '=hello\n' '?got-hello'
	at_shell "control: bare" \
		"=sh -c 'read x; echo got-\$x' &\\n" '~300' '=\n' '?Stopped' '?@ ' \
		'=fg\n' '~150' '=hello\n' '?got-hello'
	at_shell "brought forward while it runs, it reads" \
		"=$srun sh -c 'sleep 0.4; read x; echo got-\$x' &\\n" '?@ ' '=fg\n' '~600' '=hello\n' '?got-hello'
	at_shell "^C after fg of a running one" \
		"=$srun sleep 30 &\\n" '~200' '=fg\n' '~400' '=\cC' '?@ ' '=echo rc-$?\n' '?rc-130'
	at_shell "a program that sets the terminal and is killed: it is put back" \
		'=stty -a >before\n' '?@ ' \
		"=$srun sh -c 'stty raw -echo; kill -9 \$\$'\\n" '?Killed' '=\n' '?@ ' \
		'=stty -a >after; cmp before after && echo as-''before\n' '?as-before'
	at_shell "two at once, each stopped and brought back" \
		"=$srun sh -c 'echo u''p; read x; echo one-\$x'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		"=$srun sh -c 'echo u''p; read x; echo two-\$x'\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'=fg %1\n' '~150' '=a\n' '?one-a' '?@ ' '=fg %2\n' '~150' '=b\n' '?two-b'
	at_shell "a pipeline of two is stopped and goes on as one" \
		"=$srun sh -c 'echo u''p >&2; sleep 0.4; echo en''d' | $srun cat\\n" '?up' '~50' '=\cZ' '?Stopped' '?@ ' \
		'~500' '=fg\n' '?end' '?@ '
done

# A real terminal program between the person and the shell.
if command -v tmux >/dev/null; then
	export TERM=screen TMUX_TMPDIR="$T"
	printf '[sandbox]\nisolation = bwrap\n' | grant
	tm() {
		tmux -f /dev/null -L job "$@"
	}
	shows() {
		tm capture-pane -p | grep -q -e "$1"
	}
	tm new-session -d -x 80 -y 24 "bash --noprofile --rcfile $T/rc -i"
	wait_for 10 shows '^@'
	tm send-keys "$SRUN -q -f $T/grant.ini sh -c 'stty size; read x; echo got-\$x'" Enter
	check "tmux: the size of the window" wait_for 10 shows '^2[34] 80'
	tm send-keys C-z
	check "tmux: ^Z" wait_for 10 shows Stopped
	tm send-keys fg Enter
	sleep 0.3
	tm send-keys hello Enter
	check "tmux: fg" wait_for 10 shows got-hello
	tm send-keys "$SRUN -q -f $T/grant.ini sleep 30" Enter
	sleep 0.5
	tm send-keys C-c
	tm send-keys 'echo rc-$?' Enter
	check "tmux: ^C" wait_for 10 shows rc-130
	tm kill-server
fi

done_testing
