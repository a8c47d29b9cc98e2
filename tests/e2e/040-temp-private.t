#!/bin/sh
# temp-private: without a word in the grant a run has a directory of its own for temporary
# files. TMPDIR names it, nobody else reads it, nothing of it stays.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

host_temp=${TMPDIR:-/tmp}
mkdir "$T/temp"
export TMPDIR="$T/temp"
echo | grant

run srun_run -q -- sh -c 'echo "$TMPDIR"; ls -A "$TMPDIR"; stat -c %a "$TMPDIR"
	mktemp >/dev/null && d=$(mktemp -d) && echo 1 >"$d/f" && cat "$d/f"
	mkdir -p "$TMPDIR/x/y" && chmod 0 "$TMPDIR/x/y" "$TMPDIR/x"; : >"$TMPDIR/-rf x"'
temp=$(printf '%s\n' "$out" | head -n 1)
is "it is empty, private, and mktemp works" "$(printf '%s\n' "$out" | sed 1d)" "$(each 700 1)"
isnt "it is not the host's" "$temp" "$T/temp"
is "it is below the host's TMPDIR" "${temp%/*}" "$T/temp/srun-$(id -u)"
is "nothing of it stays, directories of mode 000 neither" "$(ls -A "$T/temp")" ''
denied EROFS "the host's TMPDIR is not written" -- "$TRY" create "$T/temp/new"
denied EROFS "/tmp is not written" -- "$TRY" create "/tmp/t-srun-new.$$"
denied EROFS "/var/tmp is not written" -- "$TRY" create "/var/tmp/t-srun-new.$$"

# Two runs at once.
mkfifo "$W/fifo1" "$W/fifo2"
srun_run -q -- sh -c 'echo "$TMPDIR" >t1; : >"$TMPDIR/mine"; read -r x <fifo1' &
one=$!
srun_run -q -- sh -c 'echo "$TMPDIR" >t2; : >"$TMPDIR/mine"; read -r x <fifo2' &
two=$!
wait_for 10 test -s "$W/t1" -a -s "$W/t2"
isnt "two runs have two directories" "$(cat "$W/t1")" "$(cat "$W/t2")"
is "for both" "$(temp_names | wc -l)" 2
is "a run does not write into the other's" \
	"$(srun_run -q -- "$TRY" create "$(cat "$W/t1")/new")" ENOENT
echo >"$W/fifo1"
wait "$one"
is "the end of one leaves the other's" "$(temp_names)" "$(cat "$W/t2")"
echo >"$W/fifo2"
wait "$two"
is "both are gone" "$(ls -A "$T/temp")" ''

# Wherever the host's TMPDIR is.
mkdir -p "$H/.local/state/s"
TMPDIR=$H/.local/state/s
inside "a TMPDIR in the home works" ok -- sh -c 'f=$(mktemp -d) && : >"$f/x" && echo ok'
denied EROFS "and is not written itself" -- "$TRY" create "$H/.local/state/s/new"
TMPDIR=$T/absent
inside "a TMPDIR that is missing" ok -- sh -c ': >"$TMPDIR/x" && echo ok'
TMPDIR=$T/temp/$(printf '%0120d' 0)
mkdir "$TMPDIR"
inside "a TMPDIR too long for a socket's path is not used" short -- sh -c \
	'[ ${#TMPDIR} -lt 80 ] && echo short || echo "$TMPDIR"'
TMPDIR=$T/temp
grant <<-END
	[env]
	TMPDIR = $W
END
inside "a TMPDIR of [env] wins" "$W" -- sh -c 'echo "$TMPDIR"'
TMPDIR=$host_temp

done_testing
