"""The container image report of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.model import Design
from config.design.nodes.containers import CachePlan, RepositoryPlan, registry_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePlace:
    """An ECR repository or pull through cache; `made` is true if the stack creates it."""

    name: str
    what: str
    made: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesReport:
    """The image registry; `registry` contains the account number if the profile sets the account."""

    registry: str
    repositories: tuple[ImagePlace, ...]
    caches: tuple[ImagePlace, ...]
    signs_in: str


def images_report(design: Design) -> ImagesReport | None:
    """Return the repositories and caches that nodes pull from; None if the profile declares none."""
    pulled = design.pulled
    if pulled is None:
        return None
    scripted = [plan.scripts for plan in (design.hyperpod, design.pcs) if plan is not None]
    kubernetes = design.eks is not None
    return ImagesReport(
        registry=registry_of(design.profile.account or "ACCOUNT", design.profile.region),
        repositories=tuple(
            ImagePlace(name=one.name, what=_repository(one), made=one.made) for one in pulled.repositories
        ),
        caches=tuple(
            ImagePlace(name=f"{one.prefix}/", what=_cache(one), made=one.made) for one in pulled.caches
        ),
        signs_in="the kubelet" if kubernetes else "enroot" if any(scripted) else "",
    )


def _repository(plan: RepositoryPlan) -> str:
    if not plan.made:
        return "existing repository"
    moving = f" except {' and '.join(plan.moving_tags)}" if plan.moving_tags else ""
    properties = [f"immutable tags{moving}" if plan.immutable else "mutable tags"]
    properties += ["scanned on push"] if plan.scan_on_push else []
    return ", ".join((*properties, *(("old images expire",) if plan.lifecycle else ())))


def _cache(plan: CachePlan) -> str:
    return f"cached images of {plan.host}{'' if plan.made else ' (existing)'}"
