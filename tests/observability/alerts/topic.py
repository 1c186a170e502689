"""Emulated SNS topic that stores the messages of Alertmanager."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

_ANSWER = b"""<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">
<PublishResult><MessageId>1</MessageId></PublishResult>
<ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></PublishResponse>"""


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published message."""

    topic: str
    subject: str
    message: str


class Topic:
    """A server that accepts messages like SNS."""

    def __init__(self) -> None:
        self.published: list[Published] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        """Return the URL for `api_url` of a receiver."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def subjects(self) -> list[str]:
        """Return the sorted subjects."""
        return sorted(one.subject for one in self.published)

    def waits_for(self, complete: Callable[[list[str]], bool], seconds: float) -> list[str]:
        """Return the subjects when the condition is true or the time is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not complete(self.subjects):
            time.sleep(0.2)
        return self.subjects

    def close(self) -> None:
        """Stop the server."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = {name: values[0] for name, values in parse_qs(body).items()}
                outer.published.append(
                    Published(topic=form["TopicArn"], subject=form["Subject"], message=form["Message"])
                )
                self.send_response(200)
                self.send_header("Content-Type", "text/xml")
                self.send_header("Content-Length", str(len(_ANSWER)))
                self.end_headers()
                self.wfile.write(_ANSWER)

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing in tests."""

        return Handler
