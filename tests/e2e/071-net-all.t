#!/bin/sh
# net-all: mode = all is the host's network; without it a run beside it has none.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

grant <<-END
	[network]
	mode = all
END
serve 127.0.0.1
allowed "a server of the host is reached" -- "$TRY" connect 127.0.0.1 "$port"
inside "the host's interfaces are there" "$(ls /sys/class/net)" -- ls /sys/class/net
inside "the option is stronger" ECONNREFUSED --net none -- "$TRY" connect 127.0.0.1 "$port"
denied EROFS "files are confined all the same" -- "$TRY" create "$D/new"
inside "processes too" yes -- sh -c '[ "$(ls -d /proc/[0-9]* | wc -l)" -le 6 ] && echo yes'
exec 8>&-
wait "$server"

grant_refused "a mode that is none" "grant.ini:2: .*'full'" <<-END
	[network]
	mode = full
END

done_testing
