#!/bin/sh
# clients: what people's programs do in the restricted network: an allowed host works, a
# denied one is refused and named at the end, and never hears of it.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../helpers/netfix.sh"
. "$(dirname "$0")/../lib.sh"

O=$D/origin
www=$O/www
mkdir -p "$www"
origin "$O"
echo 'hello from the origin' >"$www/hello"

# A git repository, a package of npm, of Python, of cargo and of Debian, all served as files.
(
	mkdir "$T/repo" && cd "$T/repo" && git init -q && echo hello from the origin >hello && git add hello &&
		git -c user.name=a -c user.email=a@b commit -qm one && git clone -q --bare . "$www/repo.git" &&
		git -C "$www/repo.git" update-server-info
) >/dev/null 2>&1
/usr/bin/python3 - "$www" <<'END'
import base64, gzip, hashlib, io, json, os, sys, tarfile, zipfile
www = sys.argv[1]
def put(path, data):
    path = os.path.join(www, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
def tgz(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name, text in files.items():
            i = tarfile.TarInfo(name); i.size = len(text)
            t.addfile(i, io.BytesIO(text.encode()))
    return out.getvalue()
pack = tgz({"package/package.json": '{"name":"small","version":"1.0.0"}', "package/hello": "hello from the origin\n"})
put("npm/small.tgz", pack)
for host in ("good", "bad"):
    put(f"npm-{host}/small", json.dumps({"name": "small", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
        "name": "small", "version": "1.0.0", "dist": {"tarball": f"http://{host}.test/npm/small.tgz",
        "integrity": "sha512-" + base64.b64encode(hashlib.sha512(pack).digest()).decode()}}}}))
wheel = io.BytesIO()
with zipfile.ZipFile(wheel, "w") as z:
    z.writestr("small.py", "print('hello from the origin')\n")
    z.writestr("small-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1.0\n")
    z.writestr("small-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("small-1.0.dist-info/RECORD", "")
put("pypi/small/small-1.0-py3-none-any.whl", wheel.getvalue())
put("pypi/small/index.html", '<a href="small-1.0-py3-none-any.whl">small</a>')
crate = tgz({"small-1.0.0/Cargo.toml": '[package]\nname = "small"\nversion = "1.0.0"\n', "small-1.0.0/src/lib.rs": "// hello from the origin\n"})
put("crates/small/1.0.0/download", crate)
for host in ("good", "bad"):
    put(f"cargo-{host}/config.json", json.dumps({"dl": f"http://{host}.test/crates"}))
    put(f"cargo-{host}/sm/al/small", json.dumps({"name": "small", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
        "cksum": hashlib.sha256(crate).hexdigest()}) + "\n")
packages = b"Package: small\nVersion: 1.0\nArchitecture: all\nMaintainer: a <a@b>\nFilename: ./small.deb\nSize: 1\nSHA256: %s\nDescription: hello from the origin\n\n" % (b"0" * 64)
put("apt/Packages", packages)
put("apt/Release", "Date: Tue, 01 Dec 2020 00:00:00 UTC\nSHA256:\n %s %d Packages\n" % (hashlib.sha256(packages).hexdigest(), len(packages)))
END

export CURL_CA_BUNDLE="$O/cert.pem" SSL_CERT_FILE="$O/cert.pem" GIT_SSL_CAINFO="$O/cert.pem" REQUESTS_CA_BUNDLE="$O/cert.pem" NODE_EXTRA_CA_CERTS="$O/cert.pem"
grant <<-END
	[sandbox]
	pass_ca = yes
	timeout = 60s
	[network]
	allow_domains = good.test
	java_proxy = yes
END
chmod -R a+rX "$O/www"

# both NAME TOOL SCRIPT: the script gets the host's name as $1 and prints what it has fetched.
both() {
	if ! command -v "${2%% *}" >/dev/null || ! sh -c "$2" >/dev/null 2>&1; then
		skip "$1" "no ${2%% *} for this user"
		return
	fi
	find "$W" -mindepth 1 -delete
	run srun_run -- sh -c "$3" sh good.test </dev/null
	like "$1: the allowed host answers" "$out" 'hello from the origin'
	[ "$rc" -eq 0 ] || diag "exit $rc: $err"
	unlike "$1: nothing was refused" "$err" 'bad.test'
	find "$W" -mindepth 1 -delete
	before=$(grep -c ' 203.0.113.6 ' "$O/log")
	run srun_run -- sh -c "$3" sh bad.test </dev/null
	isnt "$1: the denied host is a failure" "$rc" 0
	unlike "$1: and gives nothing" "$out" 'hello from the origin'
	like "$1: it is named, with the line that would allow it" "$err" \
		'^srun: refused.*: bad\.test.* is not in the grant \[allow_domains = bad\.test'
	is "$1: it was not asked" "$(grep -c ' 203.0.113.6 ' "$O/log")" "$before"
}

# The control: without srun the denied host answers.
for host in good.test bad.test; do
	is "control: $host answers" "$(curl -s --noproxy '*' "http://$host/hello")" 'hello from the origin'
	is "control: $host answers by TLS" "$(curl -s --noproxy '*' "https://$host/hello")" 'hello from the origin'
done
cat >"$D/Fetch.java" <<'END'
public class Fetch {
	public static void main(String[] a) throws Exception {
		System.out.println(new String(new java.net.URL("http://" + a[0] + "/hello").openStream().readAllBytes()));
	}
}
END

both 'curl' 'curl -V' 'curl -sSf "http://$1/hello"'
both 'curl, https' 'curl -V' 'curl -sSf "https://$1/hello"'
both 'curl, socks5h' 'curl -V' 'curl -sSf --proxy "socks5h://$SRUN_PROXY" "http://$1/hello"'
both 'curl, socks4a' 'curl -V' 'curl -sSf --proxy "socks4a://$SRUN_PROXY" "http://$1/hello"'
both 'curl, no proxy' 'curl -V' 'curl -sSf --noproxy "*" "https://$1/hello"'
both 'wget' 'wget -V' 'wget -t1 -qO- "http://$1/hello"'
both 'wget, https' 'wget -V' 'wget -t1 -qO- --ca-certificate="$SSL_CERT_FILE" "https://$1/hello"'
both 'git' 'git --version' 'git clone -q "http://$1/repo.git" r && cat r/hello'
both 'git, https' 'git --version' 'git clone -q "https://$1/repo.git" r && cat r/hello'
both 'npm' 'npm --version' 'npm_config_cache=$PWD/c npm i --no-audit --no-fund --fetch-retries=0 --registry "http://$1/npm-${1%.test}/" small >o 2>&1 || { cat o >&2; exit 1; }; cat node_modules/small/hello'
both 'pip' '/usr/bin/python3 -m pip --version' '/usr/bin/python3 -m pip install -q --retries 0 --no-cache-dir --disable-pip-version-check --target t -i "http://$1/pypi" --trusted-host "$1" small && /usr/bin/python3 t/small.py'
both 'python urllib' '/usr/bin/python3 -V' '/usr/bin/python3 -c "import sys, urllib.request as u; print(u.urlopen(\"http://\" + sys.argv[1] + \"/hello\").read())" "$1"'
both 'python urllib, https' '/usr/bin/python3 -V' '/usr/bin/python3 -c "import sys, urllib.request as u; print(u.urlopen(\"https://\" + sys.argv[1] + \"/hello\").read())" "$1"'
both 'python requests' '/usr/bin/python3 -c "import requests"' '/usr/bin/python3 -c "import sys, requests as r; a = r.get(\"https://\" + sys.argv[1] + \"/hello\"); a.raise_for_status(); print(a.text)" "$1"'
both 'node' 'node --version' 'node -e "fetch(\"http://\" + process.argv[1] + \"/hello\").then(r => r.text().then(t => { console.log(t); process.exit(r.ok ? 0 : 1) }))" "$1"'
both 'node, https' 'node --version' 'node -e "fetch(\"https://\" + process.argv[1] + \"/hello\").then(r => r.text().then(t => { console.log(t); process.exit(r.ok ? 0 : 1) }))" "$1"'
both 'cargo' '/usr/bin/cargo --version' '
	export CARGO_HOME=$PWD/ch CARGO_NET_RETRY=0; mkdir -p p/src ch; : >p/src/lib.rs
	printf "[package]\nname = \"p\"\nversion = \"1.0.0\"\n[dependencies]\nsmall = \"1\"\n" >p/Cargo.toml
	printf "[source.crates-io]\nreplace-with = \"o\"\n[source.o]\nregistry = \"sparse+http://%s/cargo-%s/\"\n" "$1" "${1%.test}" >ch/config.toml
	cd p && RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo -Z sparse-registry fetch -q && cat "$CARGO_HOME"/registry/src/*/small-1.0.0/src/lib.rs'
both 'apt' 'apt-get --version' '
	mkdir -p s/lists/partial a/archives/partial; echo "deb [trusted=yes] http://$1/apt ./" >list; : >status
	apt-get -qq -o Dir::Etc::SourceList="$PWD/list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$PWD/s" -o Dir::Cache="$PWD/a" \
		-o Dir::State::status="$PWD/status" -o APT::Sandbox::User= -o Acquire::Retries=0 -o APT::Update::Error-Mode=any -o Acquire::Languages=none update &&
		cat s/lists/*Packages*'
both 'ruby' 'ruby -v' 'ruby -e "require \"open-uri\"; puts URI.open(\"http://#{ARGV[0]}/hello\").read" "$1"'
both 'perl' 'perl -MHTTP::Tiny -e 1' 'perl -MHTTP::Tiny -e "\$r = HTTP::Tiny->new->get(\"http://\$ARGV[0]/hello\"); print \$r->{content}; exit !\$r->{success}" "$1"'
both 'java' 'java -version' "java -Xshare:auto $D/Fetch.java \"\$1\""
both 'rsync' 'rsync --version' 'rsync -q "rsync://$1/pub/hello" h && cat h'
both 'a program that connects itself' '/usr/bin/python3 -V' '/usr/bin/python3 -c "
import socket, sys
s = socket.create_connection((sys.argv[1], 80), 5)
s.sendall(b\"GET /hello HTTP/1.0\r\n\r\n\")
print(s.makefile().read())" "$1"'
both 'srun --connect' 'curl -V' 'printf "GET /hello HTTP/1.0\r\nHost: $1\r\n\r\n" | "'"$SRUN"'" --connect "$1" 80'

done_testing
