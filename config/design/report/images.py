"""The images of a profile as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.model import Design
from config.design.nodes.containers import CachePlan, RepositoryPlan, registry_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePlace:
    """A repository or a cache: its name in ECR, what it is of, and whether the stack makes it."""

    name: str
    what: str
    made: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesReport:
    """Where images come from. `registry` has the account's number where the profile states it."""

    registry: str
    repositories: tuple[ImagePlace, ...]
    caches: tuple[ImagePlace, ...]
    signs_in: str


def images_report(design: Design) -> ImagesReport | None:
    """The repositories and caches that nodes pull from; None where there are none."""
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
        return "exists already"
    moving = f", but {' and '.join(plan.moving_tags)}" if plan.moving_tags else ""
    told = [f"tags are fixed{moving}" if plan.immutable else "tags can be pushed again"]
    told += ["scanned"] if plan.scan_on_push else []
    return ", ".join((*told, *(("old ones expire",) if plan.lifecycle else ())))


def _cache(plan: CachePlan) -> str:
    return f"images of {plan.host}{'' if plan.made else ', exists already'}"
