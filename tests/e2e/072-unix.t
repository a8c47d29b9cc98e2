#!/bin/sh
# unix: sockets of the host's services are not reached, by path or by abstract name; with
# mode = all they are.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
serve "$W/sock"
denied EPERM "a socket in a write root" -- "$TRY" unix-connect "$W/sock"
inside "none can be made" EPERM -- "$TRY" socket unix stream 0
inside "a pair can" ok -- "$TRY" socketpair
inside "with mode = all the socket is reached" ok --set unix_sockets.mode=all -- "$TRY" unix-connect "$W/sock"
inside "with mode = none it is not" EPERM --set unix_sockets.mode=none -- "$TRY" unix-connect "$W/sock"
inside "with the host's network neither" EPERM --net all -- "$TRY" unix-connect "$W/sock"
exec 8>&-
wait "$server"
refused "allow, not built yet, is refused" "unix_sockets allow is not built yet" -f "$T/grant.ini" \
	--set "unix_sockets.allow=$W/sock" -- true

done_testing
