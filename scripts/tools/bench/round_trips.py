"""Count the jsii round trips of one synthesis: requests that Python sends to Node. Prints the number."""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from typing import Any
from unittest.mock import patch

from jsii._kernel.providers import process

from app import synthesize
from config.cluster import Cluster, load_cluster


def synthesized(cluster: Cluster, outdir: str) -> int:
    """Write the cloud assembly of a profile, and count."""
    import_module("stacks.cluster_stack")  # what loads the CDK's modules once is not of this profile
    sent = 0
    send = process._NodeProcess.send

    def count(self: Any, *arguments: Any) -> Any:
        nonlocal sent
        sent += 1
        return send(self, *arguments)

    # there is no public hook
    with patch.object(process._NodeProcess, "send", count):
        synthesize(cluster, outdir=outdir)
    return sent


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(synthesized(load_cluster(sys.argv[1]), folder))
