#!/bin/sh
# net-runs: the proxy of a run is that run's alone: not another run's, not the host's. Ports
# of the host's loopback are reached by name only.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../helpers/netfix.sh"
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

O=$D/origin
origin "$O"
echo hello >"$O/www/hello"

# Run one may reach good.test, run two bad.test; both are there at the same time.
printf '[network]\nallow_domains = good.test\n' >"$T/one.ini"
printf '[network]\nallow_domains = bad.test\n' >"$T/two.ini"
mkfifo "$T/end"
"$SRUN" -q -f "$T/one.ini" sh -c 'curl -sSf http://good.test/hello && cat' <"$T/end" >"$T/one.out" 2>&1 &
one=$!
exec 7>"$T/end"
check 'run one reaches its host' wait_for 10 grep -q hello "$T/one.out"
cp "$T/two.ini" "$T/grant.ini"
inside 'run two reaches its own' hello -- curl -sSf http://bad.test/hello
inside 'and not the host of run one' 403 -- curl -s -o /dev/null -w '%{http_code}' http://good.test/hello
inside 'nor by an address of the other' 403 -- curl -s -o /dev/null -w '%{http_code}' http://203.0.113.5/hello
inside 'it has no way but the proxy' ENETUNREACH -- "$TRY" connect 203.0.113.5 80
inside 'and sees no process of the other' '' -- sh -c 'cat /proc/[0-9]*/cmdline | tr "\0" " " | grep -o "good[.]test"'
inside 'the command has the descriptors of the caller, no socket' '' -- sh -c 'ls -l /proc/self/fd | grep -o "socket:"'
inside 'it cannot look into the process above it' '' -- sh -c 'ls -l /proc/1/fd 2>/dev/null | grep -o "socket:"'
inside 'one listener besides the names' 1 -- sh -c 'awk "\$4 == \"0A\"" /proc/net/tcp | wc -l'
inside 'control: its port is open inside' ok -- "$TRY" connect 127.0.0.1 3128
is 'and closed on the host' "$("$TRY" connect 127.0.0.1 3128 2>&1)" ECONNREFUSED
inside 'the other cannot be ended' hello -- sh -c 'kill -9 "$1" 2>/dev/null; curl -sSf http://bad.test/hello' sh "$one"
check 'run one is still there' kill -0 "$one"
exec 7>&-
rc=0
wait "$one" || rc=$?
is 'and ends as its command does' "$rc" 0

# ---- the host's loopback ----

serve 127.0.0.1
denied ECONNREFUSED 'the host is not on the loopback inside' -- "$TRY" connect 127.0.0.1 "$port"
inside 'nor through the proxy' 502 -- curl -s --noproxy '' -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/"
inside 'nor by a name that leads there' 403 -- curl -s -o /dev/null -w '%{http_code}' "http://loop.test:$port/"
printf '[network]\nallow_domains = loop.test, own.test, meta.test, *.priv.test, *.test\n' >"$T/grant.ini"
for host in loop.test own.test meta.test sub.priv.test; do
	inside "a granted name that leads to a guarded address: $host" 403 -- \
		curl -s -o /dev/null -w '%{http_code}' "http://$host:$port/"
done
printf '[network]\nallow_domains = priv.test\n' >"$T/grant.ini"
inside 'a private address by its exact name' hello -- curl -sSf http://priv.test/hello
printf '[network]\nallow_host_ports = %s\n' "$port" >"$T/grant.ini"
allowed 'allow_host_ports opens that one, at the same address' -- "$TRY" connect 127.0.0.1 "$port"
inside 'and no other' ECONNREFUSED -- "$TRY" connect 127.0.0.1 1
inside 'and no host' 403 -- curl -s -o /dev/null -w '%{http_code}' http://good.test/hello
exec 8>&-
wait "$server"

# ---- names ----

printf '[network]\nallow_domains = good.test\n' >"$T/grant.ini"
inside 'a name of the grant is found' 'yes' -- sh -c 'getent ahostsv4 good.test | grep -q "^198\.1[89]\." && echo yes'
before=$(now_ms)
inside 'another is not there' '2' -- sh -c 'getent ahosts bad.test; echo $?'
check 'and that is said at once' test $(($(now_ms) - before)) -lt 2000
inside 'a datagram to another resolver' ENETUNREACH -- "$TRY" send-udp 203.0.113.6 53

done_testing
