"""Progress of a rehearsal, on stderr; stdout is for results."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def say(text: str) -> None:
    """Print one line for the user."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Print the start of a step, and its duration after success."""
    say(f"- {text} ...")
    started = time.monotonic()
    yield
    say(f"  {time.monotonic() - started:.1f} s")
