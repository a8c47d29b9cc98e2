#!/bin/sh
# net-wire: what a proxy easily loses: the tail of an answer, bytes after a switch of
# protocols, a server that speaks first; certificates that the host names; and which rule wins.
# shellcheck disable=SC2016,SC2086 # scripts are for the shell inside; $code is words
. "$(dirname "$0")/../helpers/netfix.sh"
. "$(dirname "$0")/../lib.sh"

O=$D/origin
mkdir -p "$O/www"
origin "$O"
echo hello >"$O/www/hello"
head -c 7728 /dev/urandom >"$O/www/small"
head -c 5000000 /dev/urandom >"$O/www/large"
chmod -R a+rX "$O/www"
export CURL_CA_BUNDLE="$O/cert.pem" SSL_CERT_FILE="$O/cert.pem" REQUESTS_CA_BUNDLE="$O/cert.pem" NODE_EXTRA_CA_CERTS="$O/cert.pem"
code='curl -s -o /dev/null -w %{http_code}'

# ---- all of an answer whose server closes at once ----

grant <<-'END'
	[sandbox]
	pass_ca = yes
	[network]
	allow_domains = good.test
END
for size in small large; do
	want=$(sha256sum <"$O/www/$size")
	times=50
	[ "$size" = small ] || times=10
	for scheme in http https; do
		got=$(srun_run -q -- sh -c 'i=0
			while [ $i -lt $1 ]; do
				curl -sS -H "Connection: close" "$2" | sha256sum
				i=$((i + 1))
			done | sort | uniq -c' sh $times "$scheme://good.test/$size" | sed "s/^ *//")
		is "$scheme, $size, $times times: every byte" "$got" "$times $want"
	done
done
got=$(srun_run -q -- /usr/bin/python3 -c '
import hashlib, sys, urllib.request as u
print(*{hashlib.sha256(u.urlopen(sys.argv[1]).read()).hexdigest() for _ in range(20)})' https://good.test/small)
is "python's urllib, 20 times" "$got  -" "$(sha256sum <"$O/www/small")"

# ---- tunnels and upgrades ----

cat >"$D/upgrade.py" <<'END'
import os, socket, sys
proxy = os.environ["http_proxy"].split("/")[2].split(":")
s = socket.create_connection((proxy[0], int(proxy[1])), 5)
s.sendall(b"GET http://good.test:8081/chat HTTP/1.1\r\nHost: good.test:8081\r\n"
          b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
got = b""
while b"\r\n\r\nfirst" not in got:
    data = s.recv(4096)
    if not data:
        sys.exit("closed after " + repr(got))
    got += data
frame = bytes(range(256)) * 64
s.sendall(frame)
back = b""
while len(back) < len(frame):
    back += s.recv(65536)
print(got.split(b"\r\n")[0].decode(), back == frame)
END
run srun_run -q -- /usr/bin/python3 "$D/upgrade.py"
is "a switch of protocols in plain HTTP: frames go both ways" "$out" 'HTTP/1.1 101 Switching Protocols True'
like "the origin was asked for it" "$(cat "$O/log")" 'Upgrade: websocket'
cat >"$D/first.py" <<'END'
import hashlib, subprocess, sys, threading
p = subprocess.Popen([sys.argv[1], "--connect", "good.test", "9000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(p.stdout.readline())
data = hashlib.shake_128(b"x").digest(20_000_000)
def send():
    p.stdin.write(data)
    p.stdin.close()
threading.Thread(target=send).start()
print(p.stdout.read() == data)
END
run srun_run -q -- /usr/bin/python3 "$D/first.py" "$SRUN"
is "a server that speaks first, then 20 MB of any bytes and back" "$out" "b'welcome\\r\\n'
True"

# ---- certificates ----

is "control: the host's own variables make it work" "$(curl -sS --noproxy '*' https://good.test/hello)" hello
for client in 'curl -sSf https://good.test/hello' \
	'/usr/bin/python3 -c "import urllib.request as u; print(u.urlopen(\"https://good.test/hello\").read().decode(), end=\"\")"' \
	'node -e "fetch(\"https://good.test/hello\").then(r => r.text()).then(t => process.stdout.write(t))"'; do
	if ! sh -c "command -v ${client%% *}" >/dev/null; then
		skip "${client%% *}" "not installed"
		continue
	fi
	is "${client%% *}: with pass_ca the host's certificate is trusted" "$(srun_run -q -c "$client")" hello
	run srun_run -q --set sandbox.pass_ca=no -c "$client"
	isnt "${client%% *}: without it, it is not" "$rc" 0
	is "${client%% *}: and nothing is fetched" "$out" ''
done
is "the variables are there with it" "$(srun_run -q -c 'echo "$SSL_CERT_FILE $NODE_EXTRA_CA_CERTS"')" "$O/cert.pem $O/cert.pem"
is "and not without it" "$(srun_run -q --set sandbox.pass_ca=no -c 'echo "$SSL_CERT_FILE$NODE_EXTRA_CA_CERTS"')" ''
chmod 711 "$O"
grant <<-END
	[sandbox]
	pass_ca = yes
	[filesystem]
	deny_read = $O
	[network]
	allow_domains = good.test
END
is "pass_ca opens the file for reading where it is denied" "$(srun_run -q -- curl -sSf https://good.test/hello)" hello
denied ENOENT "and only that: the rest is not to be seen" -- "$TRY" open-read "$O/key.pem"

# The host's certificates are links from one place into another.
mkdir -p "$D/share" "$D/etc"
cp "$O/cert.pem" "$D/share/one.crt"
ln -s "$D/share/one.crt" "$D/etc/one.pem"
printf '[filesystem]\ndeny_read = %s\nallow_read = %s\n' "$D/share" "$D/etc" | grant
denied EACCES "a link from an open place into a closed one" -- "$TRY" open-read "$D/etc/one.pem"
printf '[filesystem]\ndeny_read = %s\nallow_read = %s, %s\n' "$D/share" "$D/etc" "$D/share/one.crt" | grant
check "it works when the target is named" srun_run -q -- openssl x509 -in "$D/etc/one.pem" -noout

# ---- which rule wins ----

printf '[network]\nallow_domains = good.test\ndeny_domains = *\n' | grant
run srun_run -q true
is "one name beside a deny of everything is a mistake: exit" "$rc" 125
like "which names both lines" "$err" "allow_domains 'good.test' can have no effect with deny_domains '\*' of .*:3"
# Denies of elsewhere only take away; HTTP, TLS and SOCKS are judged alike.
printf '[network]\nallow_domains = good.test\n' | grant
for deny in '*' '*:80, *:443' good.test '**.test'; do
	for url in http://good.test/hello https://good.test/hello; do
		run srun_run -q --set "network.deny_domains=$deny" -- $code -k "$url"
		isnt "deny '$deny': $url is not reached" "$out" 200
		run srun_run -q --set "network.deny_domains=$deny" -- $code -k --proxy "socks5h://127.0.0.1:3128" "$url"
		is "deny '$deny': nor by SOCKS" "$out" 000
	done
done
for url in http://good.test/hello https://good.test/hello; do
	is "control: $url" "$(srun_run -q -- $code -k "$url")" 200
	is "control: by SOCKS" "$(srun_run -q -- $code -k --proxy "socks5h://127.0.0.1:3128" "$url")" 200
done

done_testing
