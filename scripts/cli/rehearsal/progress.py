"""What a rehearsal is doing, in one line each, on stderr: stdout is for results."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def say(text: str) -> None:
    """One line for the user."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a step, and say how long it took when it has ended well."""
    say(f"- {text} ...")
    started = time.monotonic()
    yield
    say(f"  {time.monotonic() - started:.1f} s")
