"""Images of a rendered chart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

_REGIONAL = re.compile(r"^[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com/")
"""The host of a regional AWS registry; most Regions have a different account and host
(https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html)."""


def images_in(rendered: str) -> list[str]:
    """Return the images that a chart's objects contain, sorted. Operators split an image into three fields.

    If the image is in a regional AWS registry, the registry's host is removed: `eks/...`.
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
