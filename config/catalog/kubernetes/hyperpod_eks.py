"""HyperPod on EKS: add-ons with their dependencies, the health monitoring agent, and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import named, read_one, version_parts
from config.catalog.hardware import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonFacts:
    """A HyperPod add-on for EKS.

    ``key`` is the profile key that enables the add-on; None if only other add-ons require it. ``version`` is
    the version to install; None if no source names one, so that EKS installs EKS's default. ``kubernetes``
    are the Kubernetes versions that the add-on supports; empty if no source lists them. ``needs`` are the
    add-ons that the add-on requires. ``kueue`` is the Kueue version that each version of the add-on includes.
    """

    name: str
    key: str | None
    version: str | None
    kubernetes: tuple[str, ...]
    needs: tuple[str, ...]
    kueue: Mapping[str, str] = field(hash=False)
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthAgent:
    """The health monitoring agent: its release, and the Regions that have its image."""

    tag: str
    karpenter_since: str
    regions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodEksFacts:
    """Facts about HyperPod on EKS.

    ``breaks`` maps an add-on to a minor version. EKS cannot update an older version of the add-on in place to
    this minor version.
    """

    addons: Mapping[str, AddonFacts] = field(hash=False)
    breaks: Mapping[str, str] = field(hash=False)
    health_agent: HealthAgent
    least_vpc_cni: str
    max_autoscaled_groups: int
    recovery_since: str
    deep_checks_minutes: tuple[int, int]
    inference_tags_since: str
    governance_regions: tuple[str, ...]
    sources: Sources = field(hash=False)

    def of_key(self, key: str) -> AddonFacts:
        """Return the add-on that a profile key enables."""
        return next(addon for addon in self.addons.values() if addon.key == key)


def minor(version: str) -> str:
    """Return the minor version: 1.6 for `v1.6.0-eksbuild.1`."""
    return ".".join(str(part) for part in version_parts(version)[:2])


@cache
def hyperpod_eks() -> HyperPodEksFacts:
    """Return the facts, read from the data file."""
    document = read_one("hyperpod-eks")
    return HyperPodEksFacts(
        addons=named(AddonFacts, document["addons"].items()),
        breaks=document["breaks"],
        health_agent=HealthAgent(**document["health_agent"]),
        sources=document["sources"],
        **document["limits"],
    )
