#!/bin/sh
# require: a backend that does not enforce what is required is not taken.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
for list in fs net unix pid fs,net,unix,pid; do
	inside "--require $list" ran --require "$list" -- echo ran
done
for list in deny-set all fs,deny-set; do
	refused "--require $list: not built yet, so refused" "isolation unavailable: .*deny-set" \
		-f "$T/grant.ini" --require "$list" -- touch "$W/started"
done
grant <<-END
	[sandbox]
	require = fs, all
END
refused "[sandbox] require" "isolation unavailable: .*deny-set" -f "$T/grant.ini" -- touch "$W/started"
refused "pinned as well" "isolation unavailable: bwrap: .*deny-set" -f "$T/grant.ini" --isolation bwrap -- touch "$W/started"
check_not "nothing was started" test -e "$W/started"
grant_refused "an unknown word" "grant.ini:2: require 'files'" <<-END
	[sandbox]
	require = files
END

done_testing
