#!/bin/sh
# net-none: without a word in the grant there is no network but a loopback of the run's own.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/helpers/lib.sh"

echo | grant
# Where nothing has a route there is no bare control for a send; a namespace makes one.
routed() {
	unshare --user --map-root-user --net sh -c '
		ip link set lo up && ip route add default dev lo && ip -6 route add default dev lo && exec "$@"' sh "$@" 2>&1
}
if [ "$(routed true)" = '' ] && routed true; then
	is "control: a datagram leaves where there is a route" "$(routed "$TRY" send-udp 198.51.100.1 9)" ok
	is "control: by IPv6 as well" "$(routed "$TRY" send-udp 2001:db8::1 9)" ok
fi
inside "TCP to an address of the internet" ENETUNREACH -- "$TRY" connect 198.51.100.1 80
inside "TCP by IPv6" ENETUNREACH -- "$TRY" connect 2001:db8::1 80
inside "UDP" ENETUNREACH -- "$TRY" send-udp 198.51.100.1 53
inside "UDP by IPv6" ENETUNREACH -- "$TRY" send-udp 2001:db8::1 53
inside "a private network" ENETUNREACH -- "$TRY" connect 10.0.0.1 80
inside "the address of cloud metadata" ENETUNREACH -- "$TRY" connect 169.254.169.254 80
inside "multicast" ENETUNREACH -- "$TRY" send-udp 224.0.0.251 5353
inside "only loopback is there" lo -- sh -c 'sed -n "s/^ *\([a-z0-9]*\):.*/\1/p" /proc/net/dev'

# The host's loopback.
serve 127.0.0.1
denied ECONNREFUSED "a server on the host's loopback" -- "$TRY" connect 127.0.0.1 "$port"
inside "with a mapped address" ECONNREFUSED -- "$TRY" connect ::ffff:127.0.0.1 "$port"
exec 8>&-
wait "$server"

# Its own.
allowed "it can listen" -- "$TRY" listen 127.0.0.1 0
inside "on a low port" ok -- sh -c 'case $("$1" listen 127.0.0.1 80) in ok | EACCES) echo ok ;; esac' sh "$TRY"
inside "and connect to itself" hello -- sh -c '
	mkfifo hold && { "$1/serve" 127.0.0.1 <hold >port & } && exec 8>hold
	until [ -s port ]; do sleep 0.02; done
	"$1/try" connect 127.0.0.1 "$(cat port)" >/dev/null && echo hello; exec 8>&-' sh "$HELPERS"
inside "by IPv6" hello -- sh -c '
	rm -f hold port; mkfifo hold && { "$1/serve" ::1 <hold >port & } && exec 8>hold
	until [ -s port ]; do sleep 0.02; done
	"$1/try" connect ::1 "$(cat port)" >/dev/null && echo hello; exec 8>&-' sh "$HELPERS"

for family in packet key alg vsock bluetooth can xdp; do
	inside "no socket of family $family" EAFNOSUPPORT -- "$TRY" socket "$family" raw 0
done
inside "no raw socket" refused -- sh -c 'case $("$1" socket inet raw icmp) in EPERM | EACCES | EPROTONOSUPPORT) echo refused ;; esac' sh "$TRY"
inside "no SCTP, no MPTCP" "$(each EPROTONOSUPPORT EPROTONOSUPPORT)" -- \
	sh -c '"$1" socket inet stream sctp; "$1" socket inet stream mptcp' sh "$TRY"

done_testing
