"""Amazon ECR: which registries it caches, where, and what it takes for names and tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import facts_of, named, read_one
from config.catalog.hardware import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A registry that a pull-through cache fills itself from.

    ``url`` is what ECR asks, None where each user has an own one; ``host`` how images are written that come
    from there, ``short`` the last part of a cache's prefix where a profile states none. ``secret``: ECR
    signs in, with a secret.
    """

    name: str
    url: str | None
    short: str
    host: str
    secret: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Registries:
    """What ECR takes. Lengths in characters; ``max_caches`` is for one registry: an account's in a Region."""

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
    """The facts, read on the first call."""
    document = read_one("registries")
    return Registries(**{**facts_of(document), "upstreams": named(Upstream, document["upstreams"].items())})
