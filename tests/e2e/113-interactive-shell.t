#!/bin/sh
# serial: yes
# interactive-shell: an interactive shell inside has the terminal, with job control of its
# own, and gives it back: the caller can read and be interrupted after it.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
# Seconds that no other test sleeps.
own=$$
unset TERM

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	run "$pty" -- sh -c '"$@" /bin/sh -i -c "exec </dev/null; printf \"works\n\""; echo rc=$?' sh "$@"
	is "$isolation: sh -i -c that closes its stdin" "$rc $out" "0 works
rc=0"
	for shell in sh bash; do
		run "$pty" '~400' '=line\n' '?got line' '=\n' -- \
			"$shell" -c '"$@" bash --norc -ic exit; read x; echo "got $x"; read x' "$shell" "$@"
		is "$isolation: $shell: a read after it gets the line" "$rc $out" "0 exit
got line"
		run "$pty" '?ready' '~150' '=\cC' -- \
			"$shell" -c '"$@" bash --norc -ic exit; echo ready; sleep 30; echo no' "$shell" "$@"
		is "$isolation: $shell: ^C after it works" "$rc" 130
		unlike "$isolation: $shell: and nothing goes on" "$out" '^no'
	done
	run "$pty" '?% ' '=tty; echo $((6 * 7))\n' '?42' '?% ' '=sh -c "echo u\"\"p; exec sleep 30"\n' '?up' '~100' '=\cC' '?% ' \
		'=sh -c "echo u\"\"p; exec sleep 33.'"$own"'"\n' '?up' '~100' '=\cZ' '?Stopped' '?% ' '=kill %1\n' '~400' '=echo left-$(pgrep -fc "^sleep 33.'"$own"'")\n' '?left-0' '?% ' '=exit 7\n' -- \
		"$@" env PS1='% ' bash --norc --noprofile -i
	is "$isolation: job control inside" "$rc" 7
	unlike "$isolation: the shell does not complain" "$out" 'job control|ioctl|terminal process group'
	run "$pty" '?% ' '=cat\n' '~100' '=x\n' '?x' '~100' '=\cC' '?% ' '=exit 7\n' -- \
		"$@" env PS1='% ' sh -i
	is "$isolation: dash" "$rc" 7
	unlike "$isolation: it does not complain either" "$out" "job control|can't access tty"
	# In an interactive shell, stopped from the inside and brought back.
	run "$pty" '?@ ' "=$* env PS1='% ' bash --norc --noprofile -i\\n" '?% ' '=suspend -f\n' '?Stopped' '?@ ' \
		'=fg\n' '~150' '=echo $((6 * 7))\n' '?42' '?% ' '=exit\n' '?@ ' '=echo $((6 * 7))\n' '?42' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: suspend of a shell inside" "$rc" 0
	# The terminal hangs up: nothing stays.
	run "$pty" '?up' close -- "$@" sh -c "echo up; exec sleep 32.$own"
	sleep 0.2
	is "$isolation: a terminal that hangs up ends it" "$(pgrep -fc "^sleep 32.$own")" 0
done

done_testing
