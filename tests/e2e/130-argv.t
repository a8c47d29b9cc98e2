#!/bin/sh
# argv: the command's arguments arrive byte for byte, many and long ones as well, and srun
# never gives them to a shell.
. "$(dirname "$0")/../lib.sh"

for isolation in bwrap none; do
	printf '[sandbox]\nisolation = %s\n' "$isolation" | grant
	set -- 'a!b' '' ' x ' '$HOME' '*' 'n
l' '"' "'" '\\' '\' '`id`' '$(id)' -- -x --help '%s' '~' "$(printf 'tab\there')" "$(printf '\001\033[31m\177')" \
		"$(printf '\303\244\342\202\254')" "$(printf '\377\376\200')" '#' ';' '&' '|' '>f' '{a,b}' '=' ''
	printf '[%s]' "$@" >"$T/bare"
	srun_run -q -- printf '[%s]' "$@" >"$T/got"
	check "$isolation: every kind of byte" cmp "$T/bare" "$T/got"
	srun_run -q -- "$TRY" status Name >/dev/null
	is "$isolation: argv[0] is what was typed" "$(srun_run -q -- sh -c 'tr "\0" "\n" </proc/$$/cmdline | head -n 1')" sh
	# The kernel takes 131,071 bytes in one.
	long=$(head -c 131071 /dev/zero | tr '\0' 'x')
	is "$isolation: an argument of 128 KiB" "$(srun_run -q -- sh -c 'echo ${#1}' sh "$long")" 131071
	# shellcheck disable=SC2046 # words
	set -- $(seq 3000)
	is "$isolation: 3,000 arguments" "$(srun_run -q -- sh -c 'echo "$# $1 ${3000}"' sh "$@")" "3000 1 3000"
	# shellcheck disable=SC2046
	set -- $(seq 20000)
	is "$isolation: 20,000" "$(srun_run -q -- sh -c 'shift 19999; echo "$# $1"' sh "$@")" "1 20000"
	set -- "$long" "$long" "$long" "$long" "$long" "$long"
	is "$isolation: six long ones" "$(srun_run -q -- sh -c 'echo "$# ${#6}"' sh "$@")" "6 131071"
	is "$isolation: an environment of 100 KiB" \
		"$(srun_run -q --env "BIG=$(printf '%.100000s' "$long")" -- sh -c 'echo ${#BIG}')" 100000
	is "$isolation: -c gives NAME and arguments" "$(srun_run -q -c 'echo "$0|$1|$2|$#"' name 'a  b' -x)" "name|a  b|-x|2"
	is "$isolation: options of the command are its own" "$(srun_run -q echo -q --timeout 1)" "-q --timeout 1"

	# They are nobody else's to read in the process list but as the command's own.
	mkfifo "$W/go"
	srun_run -q -- sh -c ': >up; read -r x <go' sh secret-argument-$$ &
	wait_for 10 test -e "$W/up"
	is "$isolation: no helper shows them" "$(pgrep -fc "^([^ ]*/)?bwrap .*secret-argument-$$")" 0
	echo >"$W/go"
	wait
	rm -f "$W/go" "$W/up"
done

done_testing
