"""The charts that are put into clusters: one lock file for where they are, which version, which digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from config.catalog.files import Row, named, read_one, version_parts
from config.catalog.hardware import Sourced, Sources

ChartKind = Literal["oci", "https", "git", "manifest"]
"""Where a chart is: a registry, a chart repository, a folder of a Git repository, or a plain manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundled:
    """A chart inside another: the key of the outer one's values that switches it, and its default."""

    key: str
    default: bool

    def installed(self, values: Mapping[str, Any]) -> bool:
        """Whether values of the outer chart install it."""
        found: Any = values
        for part in self.key.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return self.default if found is None else bool(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(Sourced):
    """A chart as it is pinned.

    `repository` is the whole path of an `oci` chart, the address of an `https` repository's index, the
    clone address of a `git` one (with `commit` and `path`), or the file of a `manifest`. `digest` is the
    SHA-256 of the chart's archive and `images` are what it runs with its own defaults; None: not known.
    `kubernetes_min` and `kubernetes_max` are what its project states; None: nothing. `namespace` is where
    its project installs it. `brings` are the custom resources that can be applied once it is there, as
    `group/version Kind`. `bundles` are charts of this file that it installs too; `conflicts` are charts that
    must not stand beside it, with the reason. `needs_nodes`: some pods of it have to run before it is ready,
    beside those that every node gets. `webhooks`: its custom resources are refused until it is. `crds_stay`:
    they outlive the release, and a newer version of the chart does not change them.
    """

    name: str
    kind: ChartKind
    repository: str
    version: str
    commit: str | None
    path: str | None
    digest: str | None
    images: tuple[str, ...] | None
    needs_nodes: bool
    webhooks: bool
    crds_stay: bool
    kubernetes_min: str | None
    kubernetes_max: str | None
    namespace: str
    brings: tuple[str, ...]
    bundles: Mapping[str, Bundled] = field(hash=False)
    conflicts: Mapping[str, str] = field(hash=False)
    licence: str
    values: Mapping[str, str] = field(hash=False)
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    @property
    def published(self) -> bool:
        """Whether Helm can fetch it as it is; the others have to be made into a chart first."""
        return self.kind in ("oci", "https")

    def fits(self, kubernetes: str) -> bool:
        """Whether its project states that it runs on a version of Kubernetes, or states nothing."""
        wanted, lowest, highest = version_parts(kubernetes), self.kubernetes_min, self.kubernetes_max
        if lowest and wanted < version_parts(lowest):
            return False
        return not highest or wanted <= version_parts(highest)


@cache
def charts() -> Mapping[str, Chart]:
    """The charts of the lock file by name, read on the first call."""
    return read_charts(read_one("charts"))


def read_charts(document: Row) -> Mapping[str, Chart]:
    """Build the charts from their data file."""
    return named(_chart, document["rows"].items())


def _chart(name: str, **row: Any) -> Chart:
    own = {
        "brings": tuple(kind for line in row["brings"] for kind in _kinds(line)),
        "bundles": MappingProxyType({other: Bundled(**found) for other, found in row["bundles"].items()}),
    }
    return Chart(name=name, **{**row, **own})


def _kinds(line: str) -> list[str]:
    """`group/v1,v2 Kind` as one entry for each version."""
    place, kind = line.split(" ")
    group, versions = place.split("/")
    return [f"{group}/{version} {kind}" for version in versions.split(",")]
