"""Progress of a lifecycle command: text lines on stderr, or one JSON object per line on stdout."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scripts.cli.rehearsal.progress import say


def _print(text: str) -> None:
    print(text, flush=True)


@dataclass
class Reporter:
    """Reports events; a repeated line is reported only once."""

    as_json: bool = False
    line: Callable[[str], None] = say
    object: Callable[[str], None] = _print
    _last: str = field(default="", repr=False)

    def report(self, event: str, text: str, **facts: Any) -> None:
        """Report one event, as text and as data."""
        if text == self._last:
            return
        self._last = text
        if self.as_json:
            self.object(json.dumps({"event": event, **facts, "text": text}))
        else:
            self.line(f"error: {text}" if event == "refused" else text)
