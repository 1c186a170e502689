"""Whether a text sets Slurm's topology, which HyperPod and PCS manage themselves."""

from __future__ import annotations

import re

_SETS = re.compile(r"\b(?:Topology(?:Plugin|Param)\s*=|topology\.(?:conf|yaml)\b)", re.IGNORECASE)


def topology_lines(text: str) -> list[int]:
    """The lines, from 1, that set TopologyPlugin or TopologyParam or name the files; comments do nothing.

    Since April 2026 HyperPod writes them (sagemaker-hyperpod-topology): a plugin that a script sets beside
    them has no file, and Slurm refuses every job.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if _SETS.search(line.partition("#")[0]):
            found.append(number)
    return found
