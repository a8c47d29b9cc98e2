#!/bin/sh
# serial: yes
# interrupt: ^C and ^\ typed at the terminal reach the command once, and what is around
# srun (a script, a loop, a pipeline) is interrupted as it would be without srun.
. "$(dirname "$0")/../lib.sh"

pty=$HELPERS/pty
cat >"$T/script" <<-'END'
	"$@" sh -c ': >ready; sleep 30; echo not after an interrupt'
	echo after
END
cat >"$T/handled" <<-'END'
	"$@" sh -c 'trap "echo caught; exit 0" INT; : >ready; while :; do sleep 0.05; done'
	echo after
END
cat >"$T/loop" <<-'END'
	for i in 1 2 3; do
		"$@" sh -c ': >ready; sleep 30'
	done
	echo after
END
cat >"$T/left" <<-'END'
	"$@" sh -c ': >ready; sleep 30' | cat
	echo after
END
cat >"$T/right" <<-'END'
	sleep 30 | "$@" sh -c ': >ready; exec sleep 30'
	echo after
END
cat >"$T/nested" <<-'END'
	"$@" sh -c 'trap "echo outer" INT; sh -c "trap \"echo inner; exit 3\" INT; : >ready
		while :; do sleep 0.05; done"; echo "rc=$?"'
	echo after
END

# typed STEPS...: until the command is there, then the keys; leaves out and rc
typed() {
	rm -f "$W/ready"
	keys=$1
	shift
	run "$pty" "@$W/ready" "~50" "=$keys" -- "$@"
}

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- "$SRUN" -q -f "$T/grant.ini"
	for key in C:INT '\:QUIT'; do
		rm -f "$W/seen" "$W/seen.end"
		run "$pty" "@$W/seen" '~100' "=\\c${key%:*}" '~250' "+$W/seen.end" -- "$@" "$HELPERS/catch" "$W/seen"
		is "$isolation: ^${key%:*} arrives once" "$rc $(tr '\n' ' ' <"$W/seen")" "0 ready ${key#*:} "
	done
	rm -f "$W/seen" "$W/seen.end"
	run "$pty" "@$W/seen" '~100' '#30x90' '~250' "+$W/seen.end" -- "$@" "$HELPERS/catch" "$W/seen"
	is "$isolation: a change of the window too" "$rc $(tr '\n' ' ' <"$W/seen")" "0 ready WINCH "
	is "$isolation: the command dies of it" "$(typed '\cC' "$@" sh -c ': >ready; exec sleep 30'; echo "$rc")" 130
	# Again with everything in a script, where srun is neither first nor alone in its group.
	for script in script handled loop left right nested; do
		for shell in sh bash; do
			typed '\cC' "$shell" "$T/$script" env
			bare="$rc $out"
			typed '\cC' "$shell" "$T/$script" "$@"
			is "$isolation: $shell: $script: as bare" "$rc $out" "$bare"
		done
	done
	unlike "$isolation: control: a script does not go on" "$(typed '\cC' bash "$T/script" "$@"; echo "$out")" after
done

done_testing
