"""Parts of a design that several rules check, each with its path in the profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.slurm.pcs import Pcs
from config.profile.storage.lustre import NewLustre


@lru_cache(maxsize=1024)
def is_plain_path(path: str) -> bool:
    """Return True for an absolute path without `.`, `..`, double or trailing slashes."""
    names = path.split("/")[1:]
    return path.startswith("/") and all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name) for name in names)


Members = list[tuple[Path, Group, GroupPlan]]


def partitions(design: Design) -> Mapping[str, Members]:
    """Return the planned groups by Slurm partition; declared PCS queues are the partitions."""
    pcs = design.profile.orchestrator
    found: dict[str, Members] = {}
    if isinstance(pcs, Pcs) and pcs.queues is not None:
        for queue in pcs.queues:
            found[queue.name] = [part for part in design.planned_groups if part[1].name in queue.groups]
        return found
    for part in design.planned_groups:
        if part[2].partition is not None:
            found.setdefault(part[2].partition, []).append(part)
    return found


def new_lustre(design: Design) -> Iterator[tuple[Path, NewLustre]]:
    """Return the new file systems of the profile, each with its path."""
    return ((at, lustre) for at, lustre in design.placed_lustre if isinstance(lustre, NewLustre))


def either(values: Iterable[object]) -> str:
    """Return alternatives as text, for example `125, 250 or 500`."""
    texts = [str(value) for value in values]
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)
