#!/bin/sh
# serial: yes
# interrupt-pipeline: ^C and ^\ at an interactive shell reach every command of a pipeline once,
# whoever of them is under srun; nothing is stopped, and the shell has its terminal back.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
rounds=3

# piped NAME LEFT RIGHT KEY SIGNAL: LEFT | RIGHT, each a catch of its own file
piped() {
	name=$1 left=$2 right=$3 key=$4 sig=$5 n=0 bad=
	while [ "$n" -lt "$rounds" ]; do
		n=$((n + 1))
		rm -f "$W"/a* "$W"/b*
		run "$pty" '?@ ' "=$left $HELPERS/catch $W/a | $right $HELPERS/catch $W/b\\n" "@$W/a" "@$W/b" '~60' \
			"=\\c$key" '~150' "+$W/a.end" "+$W/b.end" '?@ ' '=echo $((6 * 7))\n' '?42' '?@ ' '=jobs; stty -a >tty; exit 0\n' -- \
			env PS1='@ ' bash --norc --noprofile -i
		got="$rc $(tr '\n' ' ' <"$W/a")$(tr '\n' ' ' <"$W/b")"
		[ "$got" = "0 ready $sig ready $sig " ] || bad="$bad$n: $got $out
"
		case $out in
		*topped*) bad="$bad$n: $out
" ;;
		esac
	done
	is "$isolation: $name: ^$key once each, $rounds times" "$bad" ''
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	srun="$SRUN -q -f $T/grant.ini"
	[ "$isolation" = none ] || piped "control: bare" "" "" C INT
	piped "to the right" "" "$srun" C INT
	piped "to the left" "$srun" "" C INT
	piped "both" "$srun" "$srun" C INT
	piped "both" "$srun" "$srun" '\' QUIT
	# The one in the middle has no end at the terminal.
	piped "three" "$srun" "$srun cat | $srun" C INT

	# In the background: it never has the terminal, whatever it does to it.
	run "$pty" '?@ ' "=$srun sh -c 'stty -a >tty.in; $HELPERS/catch $W/c' &\\n" '?@ ' "@$W/c" \
		'=read x; echo got-$x\n' '~100' '=line\n' '?got-line' '?@ ' '=\cC' '?@ ' "+$W/c.end" '~200' '=wait; echo rc-$?\n' '?rc-0' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: in the background it does not take the terminal" "$rc" 0
	is "$isolation: and ^C is not for it" "$(tr '\n' ' ' <"$W/c" 2>&1)" "ready "
	rm -f "$W/c" "$W/c.end" "$W"/tty*
	run "$pty" '?@ ' "=$srun sh -c 'read x; echo first-\$x; read x; echo second-\$x' &\\n" '?@ ' '~300' '=\n' '?Stopped' '?@ ' \
		'=echo still-$((6 * 7))\n' '?still-42' '?@ ' '=fg\n' '~200' '=one\n' '?first-one' '=\cZ' '?Stopped' '?@ ' '=fg\n' '~200' '=two\n' '?second-two' '?@ ' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: fg gives it, ^Z takes it, fg gives it again" "$rc" 0
	run "$pty" '?@ ' "=$srun sh -c 'kill -STOP \$\$; echo on; read x; echo got-\$x' &\\n" '?@ ' '~300' '=\n' '?Stopped' '?@ ' \
		'=bg\n' '?on' '~200' '=\n' '?Stopped' '?@ ' '=fg\n' '~200' '=one\n' '?got-one' '?@ ' '=exit 0\n' -- \
		env PS1='@ ' bash --norc --noprofile -i
	is "$isolation: stopped, bg, stopped by its read, fg" "$rc" 0
done

done_testing
