"""What stands between a writer and a server: it asks for keys, speaks TLS, and cuts what passes."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.helpers.http_servers import answering


class Front:
    """Passes requests on to ``behind``, a node's address, and answers back, unless a test says otherwise.

    ``keys`` are the values of the header Authorization that are let in, if any are named; ``cut`` is how many
    bytes of an answer pass before the connection ends; ``version`` is what the node is made to call itself.
    """

    def __init__(self, behind, *, authority=None, host="localhost"):
        self.keys: set[str] = set()
        self.cut: int | None = None
        self.version = ""
        self.asked: list[tuple[str, str, bytes]] = []
        self._connections: list[socket.socket] = []
        node = urlsplit(behind)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self):
                super().setup()
                outer._connections.append(self.connection)

            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append((self.command, self.path, body))
                if outer.keys and self.headers.get("Authorization") not in outer.keys:
                    return self.reply(401, {}, b'{"error": {"type": "security_exception"}, "status": 401}')
                passed = http.client.HTTPConnection(node.hostname, node.port, timeout=30)
                headers = {name: value for name, value in self.headers.items() if name not in OWN}
                if outer.version:  # the answer is to be changed, so it must not be packed
                    headers = {
                        name: value for name, value in headers.items() if name.lower() != "accept-encoding"
                    }
                with closing(passed):
                    passed.request(self.command, self.path, body, headers)
                    answer = passed.getresponse()
                    said = answer.read()
                if outer.version and self.path == "/":
                    root = json.loads(said)
                    root["version"]["number"] = outer.version
                    said = json.dumps(root).encode()
                kept = {name: value for name, value in answer.getheaders() if name.title() not in OWN}
                return self.reply(answer.status, kept, said)

            do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do

            def reply(self, status, headers, body):
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "HEAD":
                    return
                if outer.cut is None:
                    self.wfile.write(body)
                else:
                    self.wfile.write(body[: outer.cut])
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # who refuses a certificate hangs up
        if authority is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            authority.issue_cert(host).configure_cert(context)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if authority is None else "https"
        self.url = f"{scheme}://localhost:{self._server.server_port}"

    def let_in(self, key):
        """Ask for this API key from now on."""
        self.keys.add(f"ApiKey {key}")

    @contextmanager
    def standing(self):
        """Answer until the block ends."""
        with answering(self._server):
            yield self
        for connection in self._connections:  # a client keeps its own open, and a thread waits at each
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


OWN = {"Host", "Connection", "Content-Length", "Transfer-Encoding", "Authorization"}
"""Headers that are about one leg of the way."""
