"""HyperPod on EKS: its add-ons and what each needs, the agent of its nodes, and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import named, read_one, version_parts
from config.catalog.hardware import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonFacts:
    """An add-on of EKS.

    ``key`` is the one of a profile that asks for it; None: others need it. ``version`` is the one that is
    installed, None where no source names one: EKS's default of the day. ``kubernetes`` are the versions that
    it runs on; empty: none is told. ``needs`` are other add-ons, ``kueue`` the one that its versions bring.
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
    """The agent that watches over nodes: the release, and the Regions where its chart finds the image."""

    tag: str
    karpenter_since: str
    regions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodEksFacts:
    """The facts. ``breaks`` has the minor version of an add-on that no older one is updated to in place."""

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
        """The add-on that a key of a profile asks for."""
        return next(addon for addon in self.addons.values() if addon.key == key)


def minor(version: str) -> str:
    """`v1.6.0-eksbuild.1` is 1.6."""
    return ".".join(str(part) for part in version_parts(version)[:2])


@cache
def hyperpod_eks() -> HyperPodEksFacts:
    """The facts, from their data file."""
    document = read_one("hyperpod-eks")
    return HyperPodEksFacts(
        addons=named(AddonFacts, document["addons"].items()),
        breaks=document["breaks"],
        health_agent=HealthAgent(**document["health_agent"]),
        sources=document["sources"],
        **document["limits"],
    )
