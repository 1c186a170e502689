"""The services' API models, from the data files that botocore ships: only the shapes that are asked for.

Reading EC2's whole model as objects takes a tenth of a second and tens of megabytes, for the few shapes that
a template needs. So a model stays text, and a shape is read from its place in it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Shape = Mapping[str, Any]
# how botocore's files are written: a section at two spaces, its entries at four
_SECTION = re.compile(rb'\n  "(operations|shapes)": ?\{')
_ENTRY = re.compile(rb'\n    "([A-Za-z0-9_]+)": ?')


class Model:
    """The API model of one service."""

    def __init__(self, text: bytes) -> None:
        """Find every operation and shape; a file that is laid out otherwise is read as a whole."""
        self._text = text
        self._places: Mapping[str, Mapping[str, tuple[int, int]]] = _places(text)
        self._whole: Mapping[str, Any] = {} if self._places else json.loads(text)

    def entry(self, section: str, name: str) -> Shape:
        """An operation or a shape, without its documentation."""
        if self._whole:
            found: Shape = self._whole[section][name]
            return found
        begin, end = self._places[section][name]
        text = self._text[begin:end].rstrip(b", \n")
        shape: Shape = json.loads(text, object_hook=_without_documentation)
        return shape


def _places(text: bytes) -> Mapping[str, Mapping[str, tuple[int, int]]]:
    """Section to name to where its entry begins and ends."""
    sections = {match[1].decode(): match.end() for match in _SECTION.finditer(text)}
    if set(sections) != {"operations", "shapes"}:
        return {}
    return {section: _entries(text, begin) for section, begin in sections.items()}


def _entries(text: bytes, begin: int) -> Mapping[str, tuple[int, int]]:
    end = text.index(b"\n  }", begin)
    found = list(_ENTRY.finditer(text, begin, end))
    ends = [match.start() for match in found[1:]] + [end]
    return {match[1].decode(): (match.end(), end) for match, end in zip(found, ends, strict=True)}


def _without_documentation(entry: dict[str, Any]) -> dict[str, Any]:
    if isinstance(entry.get("documentation"), str):
        del entry["documentation"]
    return entry


@lru_cache(maxsize=32)
def model_of(service: str) -> Model:
    """The newest API model of a service."""
    spec = find_spec("botocore")
    if spec is None or spec.origin is None:  # boto3 is a dependency: only a broken environment gets here
        raise RuntimeError("botocore, which brings the services' API models, is not installed")
    versions = sorted((Path(spec.origin).parent / "data" / service).iterdir())
    return Model(gzip.decompress((versions[-1] / "service-2.json.gz").read_bytes()))


@lru_cache(maxsize=4096)
def shape_named(service: str, name: str) -> Shape:
    """A shape of a service's model."""
    return model_of(service).entry("shapes", name)
