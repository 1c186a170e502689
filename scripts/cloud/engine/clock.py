"""The simulated clock of one operation: the time that AWS would have needed, without waiting."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Clock:
    """Seconds since the operation started. `pace` is the number of simulated seconds per real second."""

    pace: float | None = None
    elapsed_s: float = 0.0
    _started: float = field(default_factory=time.monotonic)

    def advance(self, to_s: float) -> None:
        """Advance the clock to a time; earlier times have no effect."""
        self.elapsed_s = max(self.elapsed_s, to_s)
        if self.pace:
            wait_s = self._started + self.elapsed_s / self.pace - time.monotonic()
            if wait_s > 0:
                time.sleep(wait_s)
