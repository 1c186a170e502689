"""Amazon EKS: image releases, add-on versions, and the faults that the node monitoring agent reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from config.catalog.files import named, read_one
from config.catalog.hardware import Sourced, Sources

ImageFamily = Literal["al2023", "bottlerocket"]
ByVersion = Mapping[str, str]
"""A value for each Kubernetes version that a source names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EksAddon(Sourced):
    """An add-on: its version for each Kubernetes version, and the first supported version."""

    name: str
    versions: ByVersion = field(hash=False)
    least: str | None
    sources: Sources = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EksFacts(Sourced):
    """Facts about Amazon EKS that other control planes do not have.

    ``image_releases`` are the releases of each image family by Kubernetes version. ``cpu_ami_types`` are
    EKS's AMI types for instances without GPUs, by architecture. ``accelerator_wait_minutes`` is the time
    between a GPU fault and EKS's automatic repair.
    """

    addons: Mapping[str, EksAddon] = field(hash=False)
    image_releases: Mapping[ImageFamily, ByVersion] = field(hash=False)
    cpu_ami_types: Mapping[ImageFamily, ByVersion] = field(hash=False)
    accelerator_wait_minutes: int
    max_groups: int
    max_nodes_in_group: int
    max_name_length: int
    max_group_name_length: int
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def addon_version(self, name: str, kubernetes_version: str) -> str | None:
        """Return the version of an add-on; None if no source names one."""
        addon = self.addons.get(name)
        return addon.versions.get(kubernetes_version) if addon else None


@cache
def eks_facts() -> EksFacts:
    """Return the facts of the parsed data file."""
    document = read_one("eks")
    return EksFacts(
        addons=named(EksAddon, document["addons"].items()),
        **{name: document[name] for name in ("image_releases", "cpu_ami_types", "sources", "notes")},
        **document["limits"],
    )
