#!/bin/sh
# temp-others: what one run has in its temporary directory is neither seen nor changed by
# another run of the same user, whatever that one may read and write.
# shellcheck disable=SC2016 # scripts are for the shell inside
# It grants /tmp, where other tests live: names are held in their directories.
# serial: yes
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$T/temp" "$T/elsewhere"
# Other programs make and remove files in /tmp all the time; a start that met one is repeated.
# shellcheck disable=SC2317 # denied() and inside() call it
srun_run() {
	for attempt in 1 2 3 4 5 6; do
		srun_rc=0
		"$SRUN" -f "$T/grant.ini" "$@" 2>"$T/attempt" || srun_rc=$?
		grep -q "bwrap cannot set up" "$T/attempt" || break
		sleep "0.$attempt"
	done
	cat "$T/attempt" >&2
	return "$srun_rc"
}
uid=$(id -u)

# begin [NAME=VALUE]... OPTION...: a run that has a secret in its directory; $temp is that
# directory, $work its temporary working directory, "end" ends it.
begin() {
	rm -f "$T/go" "$T/where"
	mkfifo "$T/go"
	env "$@" sh -c 'echo "$TMPDIR $PWD"; echo secret >"$TMPDIR/secret"; echo secret >secret; read -r x' \
		<"$T/go" >"$T/where" 7>&- &
	run=$!
	exec 9>"$T/go"
	wait_for 10 test -s "$T/where"
	read -r temp work <"$T/where"
	wait_for 10 test -s "$work/secret"
}
end() {
	exec 9>&-
	wait "$run"
}

printf '[sandbox]\nworking_directory = temp\n' >"$T/victim.ini"
for root in /tmp "$T/temp"; do
	export TMPDIR="$root"
	begin "$SRUN" -q -f "$T/victim.ini" --
	is "$root: the directory is there, its owner's alone" "$(stat -c %a "$temp")" 700
	check "$root: in one of the same kind" test "$(stat -c %a:%u "${temp%/*}")" = "700:$uid"
	is "$root: which is named after the user" "${temp%/*}" "$root/srun-$uid"
	[ "${#temp}" -le $((${#root} + 25)) ] || not_ok "$root: '$temp' is longer than it need be"
	# A run that may read everything, one that may write the temporary files of the host,
	# one that has an empty directory of its own there.
	for grant in '' "[filesystem]
allow_write = $root" '[sandbox]
temp = host' '[sandbox]
temp = tmp
[filesystem]
allow_read = '"$TOP"; do
		printf '%s\n' "$grant" | grant
		what="$root, $(printf '%s' "$grant" | tr '\n' ' ')"
		# Closed around its own directory, or with nothing in it.
		shut="EACCES|ENOENT"
		denied "$shut" "$what: its files are not read" -- "$TRY" open-read "$temp/secret"
		denied "$shut|EROFS" "$what: nor written" -- "$TRY" append "$temp/secret"
		denied "$shut|EROFS" "$what: none are made" -- "$TRY" create "$temp/new"
		denied "$shut|EROFS" "$what: none are removed" -- "$TRY" open-write "$temp/secret"
		denied "$shut" "$what: the working directory neither" -- "$TRY" open-read "$work/secret"
		inside "$what: names are not listed" 0 -- sh -c 'ls "$1" 2>/dev/null | grep -c "$2"' sh "${temp%/*}" "${temp##*/}"
		inside "$what: and its own is there all the same" ok -- \
			sh -c 'f=$(mktemp) && echo x >"$f" && d=$(mktemp -d) && : >"$d/f" && echo ok'
	done
	echo | grant
	# One started first does not see what comes later.
	mkfifo "$T/first"
	"$SRUN" -f "$T/grant.ini" -q -- sh -c 'echo "$TMPDIR" >up; read -r x; "$1" open-read "$x"' sh "$TRY" <"$T/first" >"$T/first.out" 9>&- &
	first=$!
	exec 7>"$T/first"
	wait_for 10 test -s "$W/up"
	end
	begin "$SRUN" -q -f "$T/victim.ini" --
	echo "$temp/secret" >&7
	exec 7>&-
	wait "$first"
	is "$root: a run that was there first does not see it either" "$(cat "$T/first.out")" ENOENT
	is "$root: control: it is there" "$(cat "$temp/secret")" secret
	end
	rm -f "$T/first" "$W/up"
	check_not "$root: it goes with its run" test -e "$temp"
	check_not "$root: so does the working directory" test -e "$work"
done
is "nothing stays in a TMPDIR of the caller's" "$(find "$T/temp" -name "srun*")" ''

# What runs without TMPDIR have is closed to one that has it, also if there was none yet.
TMPDIR=$T/temp
mkfifo "$T/first"
echo | grant
"$SRUN" -f "$T/grant.ini" -q -- sh -c 'echo "$TMPDIR" >up; read -r x; "$1" open-read "$x"' sh "$TRY" <"$T/first" >"$T/first.out" 9>&- &
first=$!
exec 7>"$T/first"
wait_for 10 test -s "$W/up"
begin -u TMPDIR "$SRUN" -q -f "$T/victim.ini" --
echo "$temp/secret" >&7
exec 7>&-
wait "$first"
is "the usual place is closed to a run with a TMPDIR" "$(cat "$T/first.out")" EACCES
end
rm -f "$W/up"

# A sandbox with temp = host keeps the place closed while other runs come and go.
printf '[sandbox]\ntemp = host\n' | grant
rm -f "$T/first"
mkfifo "$T/first"
"$SRUN" -f "$T/grant.ini" -q -- sh -c 'echo up >up; read -r x; "$1" open-read "$x"; "$1" append "$x"' sh "$TRY" <"$T/first" >"$T/first.out" 9>&- &
first=$!
exec 7>"$T/first"
wait_for 10 test -s "$W/up"
"$SRUN" -q -f "$T/victim.ini" -- true
begin "$SRUN" -q -f "$T/victim.ini" --
echo "$temp/secret" >&7
exec 7>&-
wait "$first"
is "temp = host: closed, also after other runs have ended" "$(cat "$T/first.out")" "$(each EACCES EACCES)"
end
is "and nothing stays" "$(find "$T/temp" -name "srun*")" ''

# The directory is srun's own.
for key in allow_read allow_write; do
	grant_refused "$key of it" "grant.ini:2: $key '$T/temp/srun-$uid' would open the temporary directories of other runs|does not exist" <<-END
		[filesystem]
		$key = $T/temp/srun-$uid
	END
	mkdir -m 700 "$T/temp/srun-$uid"
	grant_refused "$key of it, when it is there" "grant.ini:2: $key '$T/temp/srun-$uid' would open the temporary directories of other runs" <<-END
		[filesystem]
		$key = $T/temp/srun-$uid
	END
	rmdir "$T/temp/srun-$uid"
done

# A name that somebody else has taken: another place, or a clear word.
echo | grant
for taken in mode link file; do
	rm -rf "$T/temp/srun-$uid"
	case $taken in
	mode) mkdir -m 755 "$T/temp/srun-$uid" ;;
	link) ln -s "$T/elsewhere" "$T/temp/srun-$uid" ;;
	file) : >"$T/temp/srun-$uid" ;;
	esac
	run srun_run -q -- sh -c 'echo "$TMPDIR"; : >"$TMPDIR/f"'
	like "$taken: another place is taken" "$rc $out" "^0 /(var/)?tmp/srun-$uid/"
	is "$taken: nothing is made there" "$(ls -A "$T/elsewhere")" ''
done
rm -rf "$T/temp/srun-$uid"
if is_root; then
	mkdir -m 700 "$T/temp/srun-0"
	chown 1500 "$T/temp/srun-0"
	run srun_run -q -- sh -c 'echo "$TMPDIR"; : >"$TMPDIR/f"'
	like "another user's: another place is taken" "$rc $out" "^0 /(var/)?tmp/srun-0/"
	is "another user's: nothing is made there" "$(ls -A "$T/temp/srun-0")" ''
	rm -rf "$T/temp/srun-0"
fi

# What a run removes is what it made: here the command, not confined, puts another there.
printf '[sandbox]\nisolation = none\nworking_directory = temp\n' | grant
mkdir "$D/precious"
echo text >"$D/precious/f"
run srun_run -q -- sh -c 'w=$PWD; cd /; mv "$w" "$1/mine"; mv "$1/precious" "$w"; echo "$w"' sh "$D"
is "a directory of the user's at the place of the working directory stays" "$(cat "$out/f" 2>&1)" text
like "which is said" "$err" "^srun: '$out' is not the directory that this run made, so it stays$"
rm -rf "$D/mine" "$T/temp/srun-$uid"
mkdir "$D/precious"
echo text >"$D/precious/f"
mkfifo "$T/hold"
"$SRUN" -q -f "$T/grant.ini" -- sh -c 'w=$PWD; cd /; mv "$w" "$1/mine"; mv "$1/precious" "$w"; echo "$w" >"$2"; read -r x' sh "$D" "$T/moved" <"$T/hold" &
pid=$!
exec 6>"$T/hold"
wait_for 10 test -s "$T/moved"
kill -9 "$pid"
wait "$pid" 2>/dev/null
exec 6>&-
work=$(cat "$T/moved")
wait_for 5 sh -c '! ls -d "$1"/srun-*/*[!k] 2>/dev/null' sh "$T/temp"
"$SRUN" -q -f "$T/victim.ini" -- true
is "nor is it removed after srun was killed, by its guardian or the next run" "$(cat "$work/f" 2>&1)" text
rm -rf "$T/temp/srun-$uid"

done_testing
