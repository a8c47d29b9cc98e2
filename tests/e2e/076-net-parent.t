#!/bin/sh
# net-parent: the host's own proxy is srun's parent: judged before, never around it, and its
# password stays outside.
# shellcheck disable=SC2016,SC2086 # scripts are for the shell inside; $code is words
. "$(dirname "$0")/../helpers/netfix.sh"
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

O=$D/origin
origin "$O"
echo hello >"$O/www/hello"
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
parent=203.0.113.6:8080
printf '[network]\nallow_domains = good.test, only-there.test\n' >"$T/grant.ini"

# by VALUES NAME WANT LOG ABSENT COMMAND...: with these variables on the host.
by() {
	by_env=$1 by_name=$2 by_want=$3 by_log=$4 by_absent=$5
	shift 5
	: >"$O/log"
	got=$(eval "env $by_env \"\$SRUN\" -q -f '$T/grant.ini' \"\$@\"" 2>&1 </dev/null)
	is "$by_name" "$got" "$by_want"
	[ -z "$by_log" ] || like "$by_name: the log" "$(cat "$O/log")" "$by_log"
	[ -z "$by_absent" ] || unlike "$by_name: not in the log" "$(cat "$O/log")" "$by_absent"
}
code='curl -s -o /dev/null -w %{http_code}'
by "http_proxy=http://$parent" 'http goes to the parent in absolute form' 200 'GET http://good.test/hello HTTP/1.1' '^http ' $code http://good.test/hello
by "http_proxy=http://$parent" 'a name that only the parent knows' 200 'GET http://only-there.test/' '^http ' $code http://only-there.test/
by "http_proxy=http://$parent" 'policy comes before the route' 403 '' '.' $code http://bad.test/
by "HTTPS_PROXY=http://$parent" 'with HTTPS_PROXY alone http goes direct' 200 '^http 203.0.113.5' 'raw' $code http://good.test/hello
by "https_proxy=http://u:p%40ss@$parent" 'the parent is given the password' 000 'CONNECT good.test:443.*Basic dTpwQHNz' '^http ' $code -m 5 https://good.test/
by "https_proxy=http://u:p%40ss@$parent" 'and the command is not' '' '' '' sh -c 'env | grep -i "p%40ss\|p@ss"; cat /proc/*/environ 2>/dev/null | grep -a -o "p%40ss"'
by "'http_proxy=  http://$parent  '" 'blanks around the value' 200 'GET http://good.test/hello' '^http ' $code http://good.test/hello
by "ALL_PROXY=http://$parent" 'what is neither http nor https goes to the parent' '' 'CONNECT good.test:22 ' '' sh -c 'echo hi | timeout 3 "$0" --connect good.test 22 >/dev/null 2>&1; :' "$SRUN"
for bad in 'http://[::1' http://h:99999 ftp://h:1 https://203.0.113.6:8080; do
	by "'http_proxy=$bad'" "never direct: $bad" 502 '' '^http ' $code http://good.test/hello
done
by "http_proxy=http://203.0.113.6:9" 'a parent that is down: no way around it' 502 '' '^http ' $code http://good.test/hello
by "http_proxy=http://$parent no_proxy=good.test" 'NO_PROXY: direct' 200 '^http 203.0.113.5' raw $code http://good.test/hello
by "http_proxy=http://$parent no_proxy=a.test," 'an empty item is not everything' 200 'raw 203' '^http ' $code http://good.test/hello
by "http_proxy=http://$parent no_proxy=:80" 'a bare port is not everything' 200 'raw 203' '^http ' $code http://good.test/hello
by "http_proxy=http://$parent no_proxy=good.test:80abc" 'a bad port is no rule' 200 'raw 203' '^http ' $code http://good.test/hello
by "http_proxy=http://$parent 'no_proxy=a.test good.test'" 'blanks part entries' 200 '^http 203.0.113.5' raw $code http://good.test/hello
by "http_proxy=http://$parent no_proxy=.test" 'a leading dot' 200 '^http 203.0.113.5' raw $code http://good.test/hello
by "http_proxy=http://$parent 'no_proxy=a.test, *'" 'a star among others is not every host' 200 'raw 203' '^http ' $code http://good.test/hello
by "http_proxy=http://$parent 'no_proxy=*'" 'a star alone is' 200 '^http 203.0.113.5' raw $code http://good.test/hello
by "NO_PROXY=bad.test no_proxy=bad.test" "the host's list is not the command's" 'localhost,127.0.0.1,::1' '' '' sh -c 'echo "$no_proxy"'
by "NO_PROXY=bad.test no_proxy=bad.test" 'nor does it allow anything' 403 '' . $code http://bad.test/

done_testing
