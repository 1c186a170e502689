"""Helm charts of clusters, from a lock file with their sources, versions and digests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from config.catalog.files import Row, named, read_one, version_parts
from config.catalog.hardware import Sourced, Sources

ChartKind = Literal["oci", "https", "git", "manifest"]
"""Source of a chart: an OCI registry, a chart repository, a Git repository, or a plain manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundled:
    """A subchart, with the key that enables it in the outer chart's values, and the key's default."""

    key: str
    default: bool

    def installed(self, values: Mapping[str, Any]) -> bool:
        """Return whether the outer chart's values enable the subchart."""
        found: Any = values
        for part in self.key.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return self.default if found is None else bool(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(Sourced):
    """A chart with its pinned version.

    `repository` is the whole path of an `oci` chart, the URL of the index of an `https` repository, the clone
    URL of a `git` repository (with `commit` and `path`), or the file of a `manifest`. `digest` is the SHA-256
    of the chart's archive, and `images` are the images of its default values; None if unknown.
    `kubernetes_min` and `kubernetes_max` are the versions that the project supports; None if the project does
    not list any. `namespace` is the project's default namespace. `brings` lists the custom resources that can
    be applied after the chart is installed, as `group/version Kind`. `bundles` are charts of this file that
    the chart also installs. `conflicts` maps each chart that must not be installed together with this chart
    to the reason. `needs_nodes`: the chart becomes ready only when some of its pods run that do not belong to
    a DaemonSet. `webhooks`: the chart's custom resources are rejected until the chart is ready. `crds_stay`:
    the chart's CRDs are retained when the release is deleted, and a newer chart version does not update them.
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
        """Whether Helm can download the chart; the other types must be packaged first."""
        return self.kind in ("oci", "https")

    def fits(self, kubernetes: str) -> bool:
        """Return whether the project supports a Kubernetes version; True if it does not list versions."""
        wanted, lowest, highest = version_parts(kubernetes), self.kubernetes_min, self.kubernetes_max
        if lowest and wanted < version_parts(lowest):
            return False
        return not highest or wanted <= version_parts(highest)


@cache
def charts() -> Mapping[str, Chart]:
    """Return the charts of the lock file by name, read at the first call."""
    return read_charts(read_one("charts"))


def read_charts(document: Row) -> Mapping[str, Chart]:
    """Return the charts of a parsed data file."""
    return named(_chart, document["rows"].items())


def _chart(name: str, **row: Any) -> Chart:
    own = {
        "brings": tuple(kind for line in row["brings"] for kind in _kinds(line)),
        "bundles": MappingProxyType({other: Bundled(**found) for other, found in row["bundles"].items()}),
    }
    return Chart(name=name, **{**row, **own})


def _kinds(line: str) -> list[str]:
    """Return one entry for each version in `group/v1,v2 Kind`."""
    place, kind = line.split(" ")
    group, versions = place.split("/")
    return [f"{group}/{version} {kind}" for version in versions.split(",")]
