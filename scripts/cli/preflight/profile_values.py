"""Ids and ARNs in a profile, found by their form, so that new keys are included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from config.diagnostics import Path
from config.profile.model import Profile


def values_of_form(profile: Profile, form: str) -> dict[str, Path]:
    """Return every value of this form in a profile, each with the first path that has the value."""
    found: dict[str, Path] = {}
    for value, at in _texts(profile.model_dump(by_alias=True), ()):
        if re.fullmatch(form, value):
            found.setdefault(value, at)
    return found


def _texts(value: object, at: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, str):
        yield value, at
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(one, (*at, str(key)))
    elif isinstance(value, Sequence):
        for number, one in enumerate(value):
            yield from _texts(one, (*at, number))
