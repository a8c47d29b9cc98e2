#!/bin/sh
# require: a backend that does not enforce what is required is not taken.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
for list in fs deny-set net unix pid fs,net,unix,pid all; do
	inside "--require $list" ran --require "$list" -- echo ran
	refused "--require $list: none does not" "isolation unavailable: none: .*'require'" \
		-f "$T/grant.ini" --isolation none --require "$list" -- touch "$W/started"
done
grant <<-END
	[sandbox]
	require = fs, all
END
refused "[sandbox] require" "isolation unavailable: none: .*fs" -f "$T/grant.ini" --isolation none -- touch "$W/started"
check_not "nothing was started" test -e "$W/started"
grant_refused "an unknown word" "grant.ini:2: require 'files'" <<-END
	[sandbox]
	require = files
END

done_testing
