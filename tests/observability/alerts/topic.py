"""A topic of SNS that keeps what Alertmanager publishes."""

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
    """One message."""

    topic: str
    subject: str
    message: str


class Topic:
    """Takes messages as SNS does, on a port of its own."""

    def __init__(self) -> None:
        self.published: list[Published] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        """What a receiver calls api_url."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def subjects(self) -> list[str]:
        """The subjects, sorted."""
        return sorted(one.subject for one in self.published)

    def waits_for(self, told: Callable[[list[str]], bool], seconds: float) -> list[str]:
        """The subjects once they are as they should be, or when the time is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not told(self.subjects):
            time.sleep(0.2)
        return self.subjects

    def close(self) -> None:
        """Nobody takes messages any more."""
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
                """Tests say nothing of what went well."""

        return Handler
