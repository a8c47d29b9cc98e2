#!/bin/sh
# bad-input: what cannot be meant is a clear error and exit 125, nothing is started and
# nothing is left behind; what is only large works.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$T/temp"
export TMPDIR="$T/temp"
# bad NAME REGEX: the grant on stdin
bad() {
	grant_refused "$@"
}
bad "an unknown section" "grant.ini:1: unknown section 'filesytem' .*'filesystem'" <<-END
	[filesytem]
	deny_read = /x
END
bad "an unknown key" "grant.ini:2: unknown key 'allow_raed' in \[filesystem\] .*'allow_read'" <<-END
	[filesystem]
	allow_raed = $D
END
bad "a key before any section" "grant.ini:1: .*before any" <<-END
	deny_read = $D
END
bad "a single value twice" "grant.ini:3: 'timeout' is set twice, first in line 2" <<-END
	[sandbox]
	timeout = 1s
	timeout = 2s
END
bad "a bad time" "grant.ini:2: timeout '5 parsecs'" <<-END
	[sandbox]
	timeout = 5 parsecs
END
bad "a bad word" "grant.ini:2: isolation 'jail'" <<-END
	[sandbox]
	isolation = jail
END
bad "a bad yes or no" "grant.ini:2: write_working_directory 'maybe'" <<-END
	[filesystem]
	write_working_directory = maybe
END
bad "a line without '='" "grant.ini:2: " <<-END
	[filesystem]
	deny_read $D
END
bad "a section without its end" "grant.ini:1: section without" <<-END
	[filesystem
	deny_read = $D
END
bad "an empty value in a list" "grant.ini:2: " <<-END
	[filesystem]
	deny_read = $D,,$W
END
bad "a list without a value" "grant.ini:2: deny_read: .*value" <<-END
	[filesystem]
	deny_read =
END
bad "a limit that is not built yet" "grant.ini:2: limit 'memory' is not built yet" <<-END
	[limits]
	memory = 1G
END
grant <<-END
	[sandbox]
	timeout = x
	[filesystem]
	allow_wirte = $D
	[nonsense]
END
run srun_run -- true
is "all errors are told at once" "$(printf '%s\n' "$err" | cut -d : -f 1-3 | sort | sed "s|$T/||" | tr '\n' ' ')" \
	"srun: grant.ini:2 srun: grant.ini:4 srun: grant.ini:5 "

printf '[filesystem]\ndeny_read = %s\000/x\n' "$D" | grant
refused "a NUL" "grant.ini:2: .*NUL" -f "$T/grant.ini" -- true
printf '[filesystem]\n\357\273\277deny_read = %s\n' "$D" | grant
refused "a BOM in the middle" "grant.ini:2: " -f "$T/grant.ini" -- true
printf '\357\273\277[env]\r\nMARK = 1\r\n' | grant
inside "a BOM at the start, and CRLF, are accepted" 1 -- printenv MARK
head -c 5000 /dev/urandom | grant
refused "binary garbage" "^srun: $T/grant.ini" -f "$T/grant.ini" -- true
refused "a program as a grant" "^srun: $TRY" -f "$TRY" -- true
unlike "and no control byte reaches the terminal" "$(head -c 300 "$T/err" | tr -d '\n\t')" '[[:cntrl:]]'
{ echo '[env]'; head -c 1048576 /dev/zero | tr '\0' '#'; } | grant
refused "a grant of 1 MiB" "$T/grant.ini: is 1 MiB or larger" -f "$T/grant.ini" -- true
is "the same from stdin" "$("$SRUN" -f - -- echo started 2>&1 <"$T/grant.ini")" "srun: stdin: is 1 MiB or larger, which no grant is"
refused "an endless device as a grant" "is a device" -f /dev/zero -- true
{ echo '[env]'; echo 'MARK = 1'; head -c 900000 /dev/zero | tr '\0' '#'; } | grant
inside "a grant just below works" 1 -- printenv MARK

echo | grant
big=$(head -c 131000 /dev/zero | tr '\0' x)
inside "an argument of nearly 128 KiB" 131000 -- sh -c 'echo ${#1}' sh "$big"
# shellcheck disable=SC2046 # words
inside "20,000 arguments" "20000" -- sh -c 'echo $#' sh $(seq 20000)
inside "1 MiB of arguments" 1048000 -- sh -c 'IFS=; all="$*"; echo ${#all}' sh \
	"$big" "$big" "$big" "$big" "$big" "$big" "$big" "$big"
refused "a working directory's missing parent" "working_directory '$D/no/deep'" -f "$T/grant.ini" --cwd "$D/no/deep" -- true
refused "an unknown backend" "isolation 'jail'" -f "$T/grant.ini" --isolation jail -- true
refused "one of another system" "seatbelt" -f "$T/grant.ini" --isolation seatbelt -- true

is "nothing is left in the directory for temporary files" "$(ls -A "$T/temp")" ''
check_not "nothing was started" test -e "$T/was-started"

done_testing
