"""A small HTTP server on loopback that answers from a script and remembers what it was asked.

The base of the stand-ins for model, web search and reranker; real clients speak to it.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Reply:
    """One answer. `hang` keeps the connection open until the server closes; `cut` sends half of the body and closes.

    `chunked` sends the body in pieces without its length: one that is cut off then ends without the last piece, or, with `quietly`, as if
    it were whole. `drip` waits so many seconds between the bytes of the body.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    cut: bool = False
    chunked: bool = False
    quietly: bool = False
    drip: float = 0.0


@dataclass
class Asked:
    """One request as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    query: dict[str, str]
    body: Any


class Loopback:
    """Serves on a free port of 127.0.0.1 while the `with` block runs."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._serve, self._closing))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, asked: Asked) -> Reply:
        """What to answer; the stand-ins override it."""
        raise NotImplementedError

    def _serve(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        reply = self.reply(asked)
        if reply.hang:
            self._closing.wait(30)
        return reply


def _handler(serve: Callable[[Asked], Reply], closing: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            reply = serve(Asked(parts.path, headers, query, json.loads(raw) if raw else None))
            if not reply.hang:
                self._send(reply)

        do_GET = do_POST

        def _send(self, reply: Reply) -> None:
            data = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body, ensure_ascii=False).encode()
            self.send_response(reply.status)
            length = {"transfer-encoding": "chunked"} if reply.chunked else {"content-length": str(len(data))}
            for name, value in {"content-type": "application/json", "connection": "close", **length, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            sent = data[: len(data) // 2] if reply.cut else data
            if reply.drip:
                self._drip(sent, reply.drip)
            elif reply.chunked:
                whole = reply.quietly or not reply.cut
                self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent) + (b"0\r\n\r\n" if whole else b""))
            else:
                self.wfile.write(sent)
            self.close_connection = True

        def _drip(self, data: bytes, seconds: float) -> None:
            """One byte at a time, until the client or the server has had enough."""
            for byte in data:
                if closing.wait(seconds):
                    return
                try:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                except OSError:
                    return

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
