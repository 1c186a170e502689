"""The parts of a design that several rules walk, each with its place in the profile."""

from __future__ import annotations

import re
from functools import lru_cache

from config.catalog import ControlPlane, catalog
from config.design.compute import GroupPlan
from config.design.model import Design
from config.diagnostics import Path
from config.profile.compute import Group
from config.profile.storage import DataRepository, NewLustre

LUSTRE: Path = ("storage", "lustre")


@lru_cache(maxsize=1024)
def is_plain_path(path: str) -> bool:
    """True for an absolute path of plain names, without `.`, `..`, double or trailing slashes."""
    names = path.split("/")[1:]
    return path.startswith("/") and all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name) for name in names)


def plane_of(design: Design) -> ControlPlane | None:
    """What the profile's control plane can use; None for a profile without one."""
    orchestrator = design.profile.orchestrator
    return catalog().control_planes[orchestrator.kind] if orchestrator else None


def groups(design: Design) -> tuple[tuple[Path, Group], ...]:
    """Every group of the profile."""
    return design.placed_groups


def reserved_groups(design: Design) -> tuple[tuple[Path, Group], ...]:
    """The groups whose machines are reserved: blocks, plans, reservations."""
    return design.reserved_groups


def planned_groups(design: Design) -> tuple[tuple[Path, Group, GroupPlan], ...]:
    """The groups whose instance type is known, each with its plan."""
    return design.planned_groups


def own_lustre(design: Design) -> NewLustre | None:
    """The file system that the profile itself asks for."""
    return design.profile.storage.lustre if design.profile.storage else None


def repositories(design: Design) -> tuple[tuple[Path, DataRepository], ...]:
    """The data repositories of that file system."""
    return design.placed_repositories
