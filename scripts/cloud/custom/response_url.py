"""The ResponseURL of a request, which is a URL on the loopback interface that accepts one response.

On AWS the ResponseURL is a presigned HTTPS URL of an S3 object; a handler must therefore use the scheme and
port in the URL.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote
from uuid import uuid4

from .clock import Clock
from .protocol import Request

_HOST = "127.0.0.1"


class Reply:
    """The first response to one request; later responses to this request are ignored."""

    def __init__(self, request: Request, port: int, clock: Clock) -> None:
        key = quote(f"{request.stack_id}|{request.logical_id}|{request.id}", safe="")
        self.path = f"/{key}?X-Amz-Signature={uuid4().hex}"
        self.url = f"http://{_HOST}:{port}{self.path}"
        self.body: bytes | None = None
        self.at_s = 0.0
        self._clock = clock

    def deliver(self, body: bytes) -> None:
        """Store a response."""
        if self.body is None:
            self.body, self.at_s = body, self._clock.s


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    reply: Reply


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_PUT(self) -> None:
        length = self.headers.get("Content-Length")
        if self.path != self.server.reply.path:
            self._end(403)
        elif length is None:  # as in S3: MissingContentLength
            self._end(411)
        else:
            self.server.reply.deliver(self.rfile.read(int(length)))
            self._end(200)

    def _end(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Disable logging; the stack's events report the response."""


@contextmanager
def response_url(request: Request, clock: Clock) -> Iterator[Reply]:
    """Accept the response to a request inside the `with` statement; later responses are rejected."""
    with _Server((_HOST, 0), _Handler) as server:
        server.reply = Reply(request, server.server_port, clock)
        thread = threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True)
        thread.start()
        try:
            yield server.reply
        finally:
            server.shutdown()
            thread.join()
