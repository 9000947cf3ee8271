"""nginx in front of a server: it brings TLS, asks for a key, cuts connections, or poses as another server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass

from tests.helpers.elasticsearch_node import NotHere, free_port
from tests.helpers.patience import PATIENCE_S

KEY = "a-good-key"
"""The API key that :attr:`Gates.secure` lets in."""


@dataclass(frozen=True)
class Gates:
    """Addresses of one nginx.

    ``secure`` speaks TLS, and only with who has :data:`KEY`. ``cutting`` cuts every search. ``old`` calls
    itself Elasticsearch 7; ``other`` is a server of something else; ``stingy`` takes small requests only.
    """

    secure: str
    cutting: str
    old: str
    other: str
    stingy: str


@contextmanager
def gates(folder, behind, authority):
    """nginx before the server ``behind``, with a certificate of ``authority``.

    Raises:
        NotHere: there is no nginx.
    """
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise NotHere("nginx, which stands before the server, is missing.")
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(folder / "certificate.pem", append=True)
    ports = [free_port() for _ in range(5)]
    passed = f"proxy_pass {behind}; proxy_http_version 1.1; proxy_set_header Connection '';"
    bodies = [
        f"ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;"
        f"if ($http_authorization != 'ApiKey {KEY}') {{ return 401; }} location / {{ {passed} }}",
        f"location ~ _msearch {{ return 444; }} location / {{ {passed} }}",
        "default_type application/json; add_header X-Elastic-Product Elasticsearch;"
        """location / { return 200 '{"version": {"number": "7.17.9"}}'; }""",
        "default_type text/html; location / { return 200 'Welcome to our hotel'; }",
        f"client_max_body_size 2k; location / {{ {passed} }}",
    ]
    servers = "".join(
        f"server {{ listen 127.0.0.1:{port}{' ssl' if port == ports[0] else ''}; {body} }}\n"
        for port, body in zip(ports, bodies, strict=True)
    )
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary} client_max_body_size 100m;\n{servers}}}\n"
    )
    process = subprocess.Popen(
        [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    )
    try:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", ports[-1]), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > until:
                    raise AssertionError((folder / "error.log").read_text()) from None
                time.sleep(0.05)
        first, *others = ports
        yield Gates(f"https://localhost:{first}", *(f"http://127.0.0.1:{port}" for port in others))
    finally:
        process.kill()
        process.wait()
