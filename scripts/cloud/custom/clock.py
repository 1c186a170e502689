"""The simulated clock of a provider's function: a sleep advances it without a real wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch


class FunctionTimedOutError(BaseException):
    """The function ran longer than its timeout. A BaseException, so that the handler cannot catch it."""


class Clock:
    """The simulated seconds since CloudFormation sent its request."""

    def __init__(self) -> None:
        self.s = 0.0

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self.s += seconds


@contextmanager
def simulated_time(clock: Clock, until_s: float, worker: threading.Thread) -> Iterator[None]:
    """Let `time` follow the clock in the worker's thread; a sleep past `until_s` stops the function."""
    started_s = clock.s

    def sleep(seconds: float) -> None:
        if clock.s + seconds >= until_s:
            clock.s = max(clock.s, until_s)
            raise FunctionTimedOutError
        clock.advance(seconds)

    def later(real: Callable[[], float]) -> Callable[[], float]:
        return lambda: real() + clock.s - started_s

    def only_there(real: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: (other if threading.current_thread() is worker else real)(*args)

    with (
        patch.object(time, "sleep", only_there(time.sleep, sleep)),
        patch.object(time, "time", only_there(time.time, later(time.time))),
        patch.object(time, "monotonic", only_there(time.monotonic, later(time.monotonic))),
    ):
        yield
