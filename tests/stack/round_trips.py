"""Synthesis, with its jsii round trips counted: requests that Python sends to Node."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from unittest.mock import patch

from jsii._kernel.providers import process

from app import synthesize
from config.cluster import Cluster


def synthesized(cluster: Cluster, outdir: str) -> int:
    """Write the cloud assembly of a profile; returns the round trips."""
    import_module("stacks.cluster_stack")  # the CDK's modules load once in a process: do not count them
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
