"""The images that a rendered chart runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

_REGIONAL = re.compile(r"^[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com/")
"""A registry of AWS: another account and address in most Regions
(https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html)."""


def images_in(rendered: str) -> list[str]:
    """Every image that its objects name, in order; operators name theirs in three parts.

    One of a registry of AWS, which each Region has its own of, is told by its name there: `eks/...`.
    """
    found = {image for document in yaml.safe_load_all(rendered) for image in _images(document)}
    return sorted(_REGIONAL.sub("", image) for image in found)


def _images(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        image, repository, version = (value.get(key) for key in ("image", "repository", "version"))
        if isinstance(image, str) and isinstance(repository, str) and version:
            yield f"{repository}/{image}{'@' if str(version).startswith('sha256:') else ':'}{version}"
        elif isinstance(image, str) and image:
            yield image
        for item in value.values():
            yield from _images(item)
    elif isinstance(value, list):
        for item in value:
            yield from _images(item)
