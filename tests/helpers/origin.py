"""origin.py: the host that tests of the restricted network lead to, in a network of its own.

Reads one line from stdin, a directory; serves its www by HTTP on port 80 and by HTTPS on 443,
rsync on 873, on 8080 a server that takes every byte, answers 200 after each head, and logs;
on 8081 one that switches protocols after the first head; on 9000 one that greets first. Both
give every byte back then.
Log lines: "http ADDRESS METHOD PATH HOST", "raw ADDRESS BYTES" (as Python writes them).
Ends at the end of stdin.
"""
import http.server
import os
import socketserver
import ssl
import subprocess
import sys
import threading

LOCK = threading.Lock()


def log(top, line):
    with LOCK, open(top + "/log", "a") as out:
        out.write(line + "\n")


class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass


def start(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main():
    top = sys.stdin.readline().strip()
    if not top:
        return

    class Pages(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __init__(self, *args):
            super().__init__(*args, directory=top + "/www")

        def log_message(self, *args):
            addr = self.connection.getsockname()[0]
            host = getattr(self, "headers", None) and self.headers.get("Host")
            log(top, f"http {addr} {self.command} {self.path} {host}")

    class Raw(socketserver.BaseRequestHandler):
        def handle(self):
            addr = self.request.getsockname()[0]
            got = b""
            seen = 0
            log(top, f"raw {addr} connected")
            self.request.settimeout(20)
            try:
                while data := self.request.recv(65536):
                    log(top, f"raw {addr} {data!r}")
                    got += data
                    while (n := got.find(b"\r\n\r\n", seen)) >= 0:
                        seen = n + 4
                        self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            except OSError:
                pass

    class Echo(socketserver.StreamRequestHandler):
        greeting = b"welcome\r\n"

        def handle(self):
            self.wfile.write(self.greeting)
            while data := self.request.recv(65536):
                self.request.sendall(data)

    class Upgrade(Echo):
        greeting = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    b"Connection: Upgrade\r\n\r\nfirst")

        def handle(self):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                if not (byte := self.request.recv(1)):
                    return
                head += byte
            log(top, f"upgrade {head!r}")
            super().handle()

    class Rsync(socketserver.BaseRequestHandler):
        def handle(self):
            fd = self.request.fileno()
            subprocess.run(["rsync", "--daemon", "--config=" + top + "/rsyncd.conf"],
                           stdin=fd, stdout=fd, stderr=subprocess.DEVNULL, check=False)

    with open(top + "/rsyncd.conf", "w") as out:
        out.write(f"use chroot = no\n[pub]\npath = {top}/www\n")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(top + "/cert.pem", top + "/key.pem")
    start(Threads(("", 80), Pages))
    https = Threads(("", 443), Pages)
    https.socket = tls.wrap_socket(https.socket, server_side=True)
    start(https)
    start(Threads(("", 8080), Raw))
    start(Threads(("", 8081), Upgrade))
    start(Threads(("", 9000), Echo))
    start(Threads(("", 873), Rsync))
    open(top + "/ready", "w").close()
    sys.stdin.read()
    os._exit(0)


main()
