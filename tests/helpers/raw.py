"""raw.py: bytes to the proxy of a restricted run, with the origin's log as judge.

Runs inside, under a grant of good.test:8080, *.good.test:8080 and 10.9.8.7:8080. argv: the log.
Prints TAP. A refused case must be answered, closed by the proxy (but for 403, which leaves the connection in
step), and leave no line in the log.
"""
import os
import re
import socket
import ssl
import struct
import sys
import time

LOG = sys.argv[1]
HOST, PORT = os.environ["SRUN_PROXY"].rsplit(":", 1)
tests = 0
failed = 0


def log():
    with open(LOG) as f:
        return [line for line in f if line.startswith("raw ")]


def report(ok, name, *why):
    global tests, failed
    tests += 1
    failed += not ok
    print("ok" if ok else "not ok", tests, "-", name)
    if not ok:
        for line in why:
            print("#", line)


def talk(pieces, first):
    """What the proxy says, and whether it closed without being asked to."""
    s = socket.create_connection((HOST, int(PORT)), 5)
    got = b""
    closed = False
    try:
        for p in pieces:
            s.sendall(p)
            if len(pieces) > 1:
                time.sleep(0.01 if len(pieces) < 10 else 0.0005)
    except OSError:
        pass
    s.settimeout(2 if first else 0.2)
    end = time.monotonic() + 8
    try:
        while time.monotonic() < end:
            data = s.recv(65536)
            if not data:
                closed = True
                break
            got += data
            s.settimeout(0.2)
    except ConnectionResetError:
        got += b"<reset>"
    except OSError:
        pass
    s.close()
    return got, closed


def statuses(got):
    return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3}) ", got)]


def refused(name, pieces, *want):
    if isinstance(pieces, bytes):
        pieces = [pieces]
    before = len(log())
    got, closed = talk(pieces, True)
    new = log()[before:]
    st = statuses(got)
    report(len(st) == 1 and st[0] in want and (closed or st[0] in (403, 502)) and not new and b"<reset>" not in got, name,
           f"want {want}, got {got[:200]!r}, closed {closed}", f"origin: {new}")


def passed(name, pieces, want, has=b"", hasnot=b"\0none"):
    if isinstance(pieces, bytes):
        pieces = [pieces]
    before = len(log())
    got, _ = talk(pieces, False)
    time.sleep(0.02)
    new = "".join(log()[before:])
    seen = b"".join(eval(line.split(" ", 2)[2]) for line in log()[before:] if " b'" in line or ' b"' in line)
    st = statuses(got)
    report(st == want and has in seen and hasnot not in seen, name,
           f"want {want}, got {got[:200]!r}", f"origin: {new[:400]}")


def get(url=b"http://good.test:8080/p", fields=b"Host: good.test:8080\r\n", method=b"GET", version=b"HTTP/1.1", body=b""):
    return method + b" " + url + b" " + version + b"\r\n" + fields + b"\r\n" + body


def post(fields, body=b""):
    return get(fields=b"Host: good.test:8080\r\n" + fields, method=b"POST", body=body)


GOOD = get()
BAD = get(b"http://bad.test:8080/x", b"Host: bad.test:8080\r\n")
SMUGGLED = b"GET http://bad.test:8080/s HTTP/1.1\r\nHost: bad.test\r\n\r\n"

# ---- what goes through ----
passed("absolute form becomes origin form", get(b"http://good.test:8080/p?q=1"), [200], b"GET /p?q=1 HTTP/1.1\r\nHost: good.test:8080\r\n")
passed("a subdomain by pattern", get(b"http://sub.good.test:8080/"), [200], b"Host: sub.good.test:8080\r\n")
passed("upper case and a trailing dot are the same name", get(b"http://GOOD.test.:8080/"), [200])
passed("an address by its own rule", get(b"http://10.9.8.7:8080/"), [200], b"Host: 10.9.8.7:8080")
passed("HTTP/1.0", get(version=b"HTTP/1.0", fields=b""), [200], b"Host: good.test:8080\r\n")
passed("one byte at a time", [GOOD[i:i + 1] for i in range(len(GOOD))], [200], b"GET /p ")
passed("pipelining", GOOD + GOOD + GOOD, [200, 200, 200])
passed("Host disagrees: it is made anew", get(fields=b"Host: bad.test\r\n"), [200], b"Host: good.test:8080\r\n", b"bad.test")
passed("X-Forwarded-Host is a field like others", get(fields=b"Host: a\r\nX-Forwarded-Host: bad.test\r\n"), [200], b"X-Forwarded-Host")
passed("Proxy-Authorization stays", get(fields=b"Host: a\r\nProxy-Authorization: Basic c2VjcmV0\r\n"), [200], b"GET", b"c2VjcmV0")
passed("Proxy-Connection stays", get(fields=b"Host: a\r\nProxy-Connection: keep-alive\r\n"), [200], b"GET", b"Proxy-Connection")
passed("what Connection names stays", get(fields=b"Host: a\r\nConnection: X-A\r\nX-A: 1\r\n"), [200], b"GET", b"X-A")
passed("Keep-Alive, TE and Trailer stay", get(fields=b"Host: a\r\nKeep-Alive: 5\r\nTE: gzip\r\n"), [200], b"GET", b"gzip")
passed("Connection cannot take Host away", get(fields=b"Host: a\r\nConnection: Host\r\n"), [200], b"Host: good.test:8080")
passed("a body by length", post(b"Content-Length: 3\r\n", b"abc"), [200], b"\r\n\r\nabc")
passed("a body in chunks", post(b"Transfer-Encoding: chunked\r\n", b"3\r\nabc\r\n0\r\n\r\n"), [200], b"abc\r\n0")
passed("a request inside a body is a body", post(b"Content-Length: %d\r\n" % len(SMUGGLED), SMUGGLED), [200], b"GET http://bad.test:8080/s")
passed("chunk extensions do not leave", post(b"Transfer-Encoding: chunked\r\n", b"3;evil=1\r\nabc\r\n0\r\n\r\n"), [200], b"abc", b"evil")
passed("the answer to CONNECT ends with an empty line", b"CONNECT good.test:8080 HTTP/1.1\r\nHost: good.test:8080\r\n\r\n", [200])
passed("early data after CONNECT", b"CONNECT good.test:8080 HTTP/1.1\r\n\r\nSSH-2.0-early\r\n", [200], b"SSH-2.0-early")
passed("bytes of any protocol in a tunnel", b"CONNECT good.test:8080 HTTP/1.1\r\n\r\n\0\1\2\xff\xfe", [200], b"\0\1\2\xff\xfe")
passed("a request in a tunnel is the tunnel's", b"CONNECT good.test:8080 HTTP/1.1\r\n\r\n" + SMUGGLED, [200, 200], b"GET http://bad.test")
passed("CONNECT with another Host", b"CONNECT good.test:8080 HTTP/1.1\r\nHost: bad.test:8080\r\n\r\nx", [200], b"x")

# ---- the second request on a connection ----
passed("pipelining to another host is judged", GOOD + BAD, [200, 403], b"GET /p", b"/x")
passed("and to another port", GOOD + get(b"http://good.test:81/"), [200, 403])
passed("bad framing behind a good request", GOOD + get(fields=b"A : b\r\n"), [200, 400])
passed("a request behind chunks", post(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n") + BAD, [200, 403], b"0\r\n\r\n", b"/x")
passed("a request behind a body", post(b"Content-Length: 3\r\n", b"abc") + BAD, [200, 403], b"abc", b"/x")
passed("a granted one behind a refusal is judged for itself", BAD + GOOD, [403, 200], b"GET /p", b"/x")

# ---- hosts that are not granted ----
refused("a host that is not in the grant", BAD, 403)
refused("Host does not help", get(b"http://bad.test:8080/", b"Host: good.test:8080\r\n"), 403)
refused("notgood.test", get(b"http://notgood.test:8080/"), 403)
refused("good.test.evil.test", get(b"http://good.test.evil.test:8080/"), 403)
refused("goodxtest", get(b"http://goodxtest:8080/"), 403)
refused("another port", get(b"http://good.test:8081/"), 403)
refused("no port is port 80", get(b"http://good.test/"), 403)
refused("the address of a granted name", get(b"http://203.0.113.5:8080/"), 403)
for spelling in (b"127.1", b"2130706433", b"0x7f000001", b"0177.0.0.1", b"0.0.0.0", b"[::1]", b"[::ffff:127.0.0.1]", b"[::]",
                 b"169.254.169.254", b"100.100.100.200", b"[::ffff:203.0.113.6]", b"3405803782", b"[64:ff9b::203.0.113.6]"):
    refused("" + spelling.decode(), get(b"http://" + spelling + b":8080/"), 403, 502)
refused("an IPv6 zone", get(b"http://[fe80::1%25lo]:8080/"), 400, 403)
refused("CONNECT to a denied host", b"CONNECT bad.test:8080 HTTP/1.1\r\nHost: good.test:8080\r\nVia: 1.1 x\r\nForwarded: for=1\r\n\r\n", 403)
refused("CONNECT to a denied port", b"CONNECT good.test:22 HTTP/1.1\r\n\r\n", 403)
refused("early data of a refused CONNECT", b"CONNECT bad.test:8080 HTTP/1.1\r\n\r\n" + GOOD, 403)

# ---- authorities ----
for text in (b"[good.test]:8080", b"[good.test", b"good.test]:8080", b"good.test:", b":8080", b"good.test:0", b"good.test:65536",
             b"good.test:80 80", b"good.test", b"good.test:8080/", b"good.test:+8080", b"u@good.test:8080", b"http://good.test:8080",
             b"bad.test:8080@good.test:8080", b"good..test:8080", b"good.test%00.bad.test:8080", b"good.test\t:8080"):
    refused("CONNECT " + text.decode(), b"CONNECT " + text + b" HTTP/1.1\r\n\r\n", 400, 403)
for text in (b"http://good.test:8080@bad.test:8080/", b"http://bad.test:8080@good.test:8080/", b"http://good.test:8080\\@bad.test:8080/",
             b"http://good.test:8080#@bad.test/", b"http:///p", b"http:good.test:8080/", b"//good.test:8080/", b"/p", b"*",
             b"ftp://good.test:8080/", b"file:///etc/passwd", b"http://good%2etest:8080/", b"http://g\xc3\xb6od.test:8080/",
             b"http://good.test:8080/a b", b"http://good.test\0.bad.test:8080/", b"http://bad.test\0.good.test:8080/"):
    refused("target " + repr(text)[2:-1], get(text), 400, 403, 501)
refused("https without CONNECT", get(b"https://good.test:8080/"), 400, 501)

# ---- framing ----
for name, fields, body in (
        ("length and chunked", b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SMUGGLED),
        ("chunked and length", b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", b"0\r\n\r\n"),
        ("two lengths", b"Content-Length: 3\r\nContent-Length: 4\r\n", b"abcd"),
        ("two equal lengths", b"Content-Length: 3\r\nContent-Length: 3\r\n", b"abc"),
        ("a list of lengths", b"Content-Length: 3, 3\r\n", b"abc"),
        ("no length", b"Content-Length:\r\n", b""),
        ("+5", b"Content-Length: +5\r\n", b"abcde"), ("-1", b"Content-Length: -1\r\n", b""),
        ("0x5", b"Content-Length: 0x5\r\n", b"abcde"), ("5 5", b"Content-Length: 5 5\r\n", b"abcde"),
        ("a length that overflows", b"Content-Length: 18446744073709551621\r\n", b"abcde"),
        ("chunked and a tab", b"Transfer-Encoding: chunked\t\r\n", b"0\r\n\r\n"),
        ("chunked, identity", b"Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n"),
        ("identity", b"Transfer-Encoding: identity\r\n", b""), ("gzip, chunked", b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
        ("xchunked", b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"), ("vertical tab", b"Transfer-Encoding: \x0bchunked\r\n", b"0\r\n\r\n"),
        ("two codings", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
        ("a folded line", b"A: b\r\n c\r\n", b""), ("folded coding", b"Transfer-Encoding:\r\n chunked\r\n", b"0\r\n\r\n"),
        ("a blank before the colon", b"Content-Length : 3\r\n", b"abc"), ("no colon", b"Content-Length\r\n", b""),
        ("no name", b": 1\r\n", b""), ("bare LF", b"A: b\nContent-Length: 3\r\n", b"abc"), ("bare CR", b"A: b\rC: d\r\n", b""),
        ("NUL in a value", b"A: \0\r\n", b""), ("NUL in a name", b"A\0: 1\r\n", b""), ("an escape", b"A: \x1b[2J\r\n", b""),
        ("two Hosts", b"Host: bad.test\r\n", b""), ("a field before the first", b" A: b\r\n", b""),
        ("a blank in a name", b"A b: c\r\n", b""), ("a head of 70 KiB", b"A: " + b"a" * 71680 + b"\r\n", b""),
        ("a head of 3,000 fields", b"A: b\r\n" * 12000, b"")):
    refused(name, post(fields, body), 400, 411, 431, 501)
for name, head in (("bare LF everywhere", GOOD.replace(b"\r\n", b"\n")), ("HTTP/2.0", get(version=b"HTTP/2.0")), ("HTTP/0.9", get(version=b"HTTP/0.9")),
                   ("no version", b"GET http://good.test:8080/\r\n\r\n"), ("http/1.1", get(version=b"http/1.1")), ("a method with a blank", get(method=b"GE T")),
                   ("a method with a NUL", get(method=b"G\0T")), ("two blanks", GOOD.replace(b"GET ", b"GET  ")), ("a tab", GOOD.replace(b"GET ", b"GET\t")),
                   ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")):
    refused("request line: " + name, head, 400, 403, 501, 505)
before_chunks = len(log())
for name, chunk in (("letters", b"g\r\n"), ("minus", b"-1\r\n"), ("LF", b"3\nabc\n"), ("overflow", b"fffffffffffffffff\r\n"), ("no end", b"3\r\nabcGET")):
    got, closed = talk([post(b"Transfer-Encoding: chunked\r\n", chunk + b"0\r\n\r\n" + SMUGGLED)], True)
    report(closed and 200 not in statuses(got), "chunks: " + name + ": closed", repr(got))
report(not any("bad.test" in line for line in log()[before_chunks:]), "no chunk smuggled a request")

# ---- TLS ----
def hello(name):
    ctx = ssl.create_default_context()
    ctx.check_hostname = False
    out = ssl.MemoryBIO()
    obj = ctx.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    try:
        obj.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def tunnel(name, data, through, host=b"good.test:8080"):
    before = len(log())
    got, closed = talk([b"CONNECT " + host + b" HTTP/1.1\r\n\r\n"] + data, not through)
    new = "".join(log()[before:])
    sent = "x16" in new or "\\x01" in new
    report(sent == through and (through or closed), name, repr(got), f"closed {closed}", new[:300])


h = hello("good.test")
tunnel("TLS for the same name", [h], True)
tunnel("TLS for the same name, byte by byte", [h[i:i + 1] for i in range(len(h))], True)
tunnel("SNI of another name", [hello("bad.test")], False)
tunnel("SNI of another name, in two pieces", [hello("bad.test")[:7], hello("bad.test")[7:]], False)
tunnel("SNI of a name below", [hello("a.good.test")], False)
tunnel("no SNI", [hello(None)], False)
tunnel("no SNI to an address", [hello(None)], True, b"10.9.8.7:8080")
two = hello("bad.test")
split = two[:3] + struct.pack(">H", 40) + two[5:45] + two[:3] + struct.pack(">H", len(two) - 45) + two[45:]
tunnel("SNI of another name, in two records", [split], False)


# ---- SOCKS ----
def socks(name, data, want, through=b""):
    before = len(log())
    got, closed = talk(data if isinstance(data, list) else [data], want[-1:] != b"\0")
    new = "".join(log()[before:])
    ok = got.startswith(want) and (through.decode() in new if through else not new)
    report(ok, name, f"want {want!r}, got {got!r}, closed {closed}", new)


def five(host, port=8080, cmd=1, atyp=3):
    return b"\5\1\0\5" + bytes([cmd]) + b"\0" + bytes([atyp]) + (bytes([len(host)]) if atyp == 3 else b"") + host + struct.pack(">H", port)


socks("SOCKS5 to a granted host", five(b"good.test") + b"early", b"\5\0\5\0", b"early")
socks("SOCKS5, byte by byte", [five(b"good.test")[i:i + 1] for i in range(len(five(b"good.test")))] + [b"late"], b"\5\0\5\0", b"late")
socks("SOCKS5 to another", five(b"bad.test"), b"\5\0\5\2")
socks("SOCKS5 to another port", five(b"good.test", 22), b"\5\0\5\2")
socks("NUL in a SOCKS name", five(b"bad.test\0.good.test"), b"\5\0\5")
socks("an address as a SOCKS name", five(b"203.0.113.6"), b"\5\0\5\2")
socks("::1 as a SOCKS name", five(b"::1"), b"\5\0\5")
socks("[::1] as a SOCKS name", five(b"[::1]"), b"\5\0\5")
socks("ATYP 1", five(bytes([203, 0, 113, 6]), atyp=1), b"\5\0\5\2")
socks("ATYP 4", five(b"\0" * 10 + b"\xff\xff" + bytes([203, 0, 113, 6]), atyp=4), b"\5\0\5\2")
socks("an odd ATYP", five(b"good.test", atyp=5), b"\5\0\5\x08")
socks("an empty name", five(b""), b"\5\0\5")
socks("BIND", five(b"good.test", cmd=2), b"\5\0\5\7")
socks("UDP ASSOCIATE", five(b"good.test", cmd=3), b"\5\0\5\7")
socks("no method that is known", b"\5\1\x80", b"\5\xff")
socks("the host's loopback", five(b"localhost", 22), b"\5\0\5")
socks("SOCKS4a", b"\4\1" + struct.pack(">H", 8080) + b"\0\0\0\1u\0good.test\0early", b"\0\x5a", b"early")
socks("SOCKS4a to another", b"\4\1" + struct.pack(">H", 8080) + b"\0\0\0\1u\0bad.test\0", b"\0\x5b")
socks("SOCKS4 to an address", b"\4\1" + struct.pack(">H", 8080) + bytes([203, 0, 113, 6]) + b"u\0", b"\0\x5b")
socks("SOCKS4 BIND", b"\4\2" + struct.pack(">H", 8080) + b"\0\0\0\1u\0good.test\0", b"\0\x5b")
for first in (b"\0", b"\6", b"\x16\3\1\2\0", b"\xff"):
    refused(f"first byte {first!r}", first + b"\0" * 64, 400)

denied = [line for line in log() if line.startswith("raw 203.0.113.6 ")]
report(not denied, "judge: the denied host saw no connection at all", *denied)
print(f"# cases: {tests}")
sys.exit(failed != 0)
