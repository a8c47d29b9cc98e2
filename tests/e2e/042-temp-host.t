#!/bin/sh
# temp-host: temp = host gives the host's own directory for temporary files, writable.
# shellcheck disable=SC2016 # scripts are for the shell inside
# It grants /tmp, where other tests live: names are held in their repositories.
# serial: yes
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

mkdir "$T/temp"
export TMPDIR="$T/temp"
grant <<-END
	[sandbox]
	temp = host
END
inside "TMPDIR is the host's" "$T/temp" -- sh -c 'echo "$TMPDIR"'
inside "it is written" ok -- "$TRY" -k create "$T/temp/f"
check "and the file stays" test -e "$T/temp/f"
denied EROFS "what is beside it is not" -- "$TRY" create "$T/x"
is "srun makes nothing there itself" "$(ls -A "$T/temp")" f
grant <<-END
	[sandbox]
	temp = elsewhere
END
refused "another word is refused" "grant.ini:2: .*elsewhere" -f "$T/grant.ini" -- true

done_testing
