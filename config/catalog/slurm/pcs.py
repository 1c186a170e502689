"""Facts about AWS PCS: sizes, quotas, images and supported Slurm settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import read_one, version_parts
from config.catalog.hardware import Sourced, Sources

SettingsOf = Literal["cluster", "group", "queue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsSize:
    """A cluster size: the maximum number of nodes, and the maximum number of jobs, waiting or running."""

    name: str
    nodes: int
    jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsFacts(Sourced):
    """Facts of AWS PCS.

    ``sizes`` are in ascending order. ``settings`` are the names of the supported Slurm settings by resource.
    ``since`` maps a setting (``Name``), or one value of a setting (``Name=value``), to the Slurm version that
    introduced it. ``fixed_in`` maps each Slurm version to the release that fixes the vulnerabilities of
    September 2026; a version without an entry has no such release. ``image_parameter`` is the public SSM
    parameter that contains the newest image for ``{arch}``. ``root_volume_gib`` includes space for container
    images.
    """

    sizes: tuple[PcsSize, ...]
    max_groups: int
    max_queues: int
    min_name_length: int
    max_cluster_name_length: int
    max_name_length: int
    rest_api_since: str
    group_idle_time_since: str
    image_parameter: str
    root_volume_gib: int
    settings: Mapping[SettingsOf, frozenset[str]] = field(hash=False)
    since: Mapping[SettingsOf, Mapping[str, str]] = field(hash=False)
    fixed_in: Mapping[str, str] = field(hash=False)
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def size_for(self, nodes: int) -> PcsSize:
        """Return the smallest size that supports `nodes`; if no size is large enough, the largest."""
        return next((size for size in self.sizes if nodes <= size.nodes), self.sizes[-1])

    def came_with(self, kind: SettingsOf, name: str, value: str) -> str | None:
        """Return the Slurm version that introduced a setting or its value; None if all versions have it."""
        since = self.since[kind]
        return since.get(name) or since.get(f"{name}={value}")


@cache
def pcs_facts() -> PcsFacts:
    """Build the facts from their data file."""
    document = read_one("pcs")
    own = {
        "sizes": tuple(PcsSize(**row) for row in document["sizes"]),
        "settings": MappingProxyType(
            {kind: frozenset(" ".join(lines).split()) for kind, lines in document["settings"].items()}
        ),
        "since": document["since"],
        "fixed_in": document["fixed_in"],
        "sources": document["sources"],
        "notes": document["notes"],
    }
    return PcsFacts(**{**document["limits"], **own})


def is_older(version: str, since: str) -> bool:
    """Return True if the Slurm version `version` is older than `since`."""
    return version_parts(version) < version_parts(since)
