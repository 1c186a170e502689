"""The simulated clock of one operation: how long AWS would have taken, without waiting for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Clock:
    """Seconds since the operation began. With a `pace`, so many simulated seconds pass in a real one."""

    pace: float | None = None
    elapsed_s: float = 0.0
    _started: float = field(default_factory=time.monotonic)

    def advance(self, to_s: float) -> None:
        """Go on to a moment; earlier moments have passed already."""
        self.elapsed_s = max(self.elapsed_s, to_s)
        if self.pace:
            wait_s = self._started + self.elapsed_s / self.pace - time.monotonic()
            if wait_s > 0:
                time.sleep(wait_s)
