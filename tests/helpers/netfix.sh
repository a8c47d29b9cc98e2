# shellcheck shell=sh
# shellcheck disable=SC2016 # scripts are for the shell of the other network
# netfix.sh: sourced before lib.sh, it starts the test again in a network of its own, beside
# a second one that the origin (origin.py) is in. Nothing leads to the real network. Works
# for root and for a user with user namespaces; the test itself has no more privilege than
# whoever started it. Leaves descriptor 9: what the origin reads; it ends when that is closed.
#
#	good.test bad.test    203.0.113.5, 203.0.113.6: the origin
#	priv.test             10.9.8.7: the origin, a private address
#	own.test              203.0.113.1: this side
#	loop.test meta.test   127.0.0.1, 169.254.169.254

netfix_setup() {
	mount --make-rprivate / && mount -t tmpfs none /mnt || exit 1
	cat >/mnt/hosts <<-END
		127.0.0.1 localhost loop.test
		203.0.113.5 good.test sub.good.test
		203.0.113.6 bad.test
		10.9.8.7 priv.test sub.priv.test
		203.0.113.1 own.test
		169.254.169.254 meta.test
	END
	echo 'nameserver 127.0.0.1' >/mnt/resolv.conf
	for f in hosts resolv.conf; do
		chmod 644 /mnt/$f
		mount --bind /mnt/$f "$(readlink -f /etc/$f)" || exit 1
	done
	mkfifo /mnt/hold
	unshare -n sh -c ': >/mnt/up
		until ip link show vb >/dev/null 2>&1; do sleep 0.02; done
		ip link set lo up
		for addr in 203.0.113.5 203.0.113.6 10.9.8.7; do ip addr add "$addr/24" dev vb; done
		ip link set vb up
		exec /usr/bin/python3 "$0"' "$1/origin.py" </mnt/hold &
	exec 9>/mnt/hold
	until [ -e /mnt/up ]; do sleep 0.02; done
	ip link set lo up
	ip link add va type veth peer name vb && ip link set vb netns "$!" || exit 1
	ip addr add 203.0.113.1/24 dev va
	ip addr add 10.9.8.1/24 dev va
	ip link set va up
	umount -l /mnt
}

case ${NETFIX:-} in
'')
	helpers=$(cd "$(dirname "$0")/../helpers" && pwd -P)
	user=
	[ "$(id -u)" -eq 0 ] || user='--user --map-current-user --keep-caps'
	# shellcheck disable=SC2086 # options are words
	if ! unshare $user --net --mount true 2>/dev/null; then
		echo '1..0 # SKIP no namespaces to make a network of'
		exit 0
	fi
	# shellcheck disable=SC2086
	NETFIX=setup exec unshare $user --net --mount sh "$0" "$helpers"
	;;
setup)
	netfix_setup "$1"
	if [ "$(id -u)" -eq 0 ]; then
		NETFIX=ready exec sh "$0"
	fi
	NETFIX=ready exec setpriv --inh-caps=-all --ambient-caps=-all sh "$0"
	;;
esac
unset NETFIX

# origin DIRECTORY: the origin serves DIRECTORY/www and writes DIRECTORY/log.
origin() {
	mkdir -p "$1/www"
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=origin -out "$1/cert.pem" \
		-addext subjectAltName=DNS:good.test,DNS:bad.test,DNS:priv.test -keyout "$1/key.pem" 2>/dev/null
	printf '%s\n' "$1" >&9
	wait_for 10 test -e "$1/ready"
}
