"""Count the jsii round trips of one synthesis: requests that Python sends to Node. Prints the number."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

from jsii._kernel.providers import process

from app import synthesize
from config.cluster import load_cluster

sent = 0
_send = process._NodeProcess.send


def _count(self: Any, *arguments: Any) -> Any:
    global sent
    sent += 1
    return _send(self, *arguments)


process._NodeProcess.send = _count  # type: ignore[assignment,method-assign]  # there is no public hook

with tempfile.TemporaryDirectory() as folder:
    synthesize(load_cluster(sys.argv[1]), outdir=folder)
print(sent)
