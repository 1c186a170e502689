"""Amazon ECR: upstream registries of pull-through caches, their Regions, and limits of names and tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import facts_of, named, read_one
from config.catalog.hardware import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """An upstream registry of pull-through caches.

    ``url`` is the upstream URL for ECR; None if each customer has another URL. ``host`` is the registry host
    in image names. ``short`` is the last part of the default prefix. ``secret``: ECR needs a secret.
    """

    name: str
    url: str | None
    short: str
    host: str
    secret: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Registries:
    """Limits of ECR; lengths are in characters, ``max_caches`` is for one account and Region."""

    upstreams: Mapping[str, Upstream] = field(hash=False)
    regions_without_caches: tuple[str, ...]
    max_caches: int
    min_prefix_length: int
    max_prefix_length: int
    max_moving_tags: int
    secret_name: str
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()


@cache
def registries() -> Registries:
    """Return the facts about ECR; the file is read on the first call."""
    document = read_one("registries")
    return Registries(**{**facts_of(document), "upstreams": named(Upstream, document["upstreams"].items())})
