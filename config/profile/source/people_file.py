"""The users file of a profile: its users and groups, and its faults."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from config.profile.access.people import People
from config.profile.source.fault_messages import describe
from config.profile.source.user_script import read_user_script
from config.profile.source.yaml_source import read_yaml

COLUMNS = ("name", "uid", "group", "groups", "ssh_keys", "sudo", "shell", "principal", "rights")
"""Columns of a CSV file; several groups or keys are separated by `;`."""

NOBODY = People.model_construct()
"""Content of a file that cannot be read."""

_LISTS = ("groups", "ssh_keys")
_MOST_FAULTS = 20
_LONGEST_NUMBER = 20
"""Maximum digits of an id; Python does not parse numbers with thousands of digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFile:
    """Users and groups of a file, and its faults as text; `path` is the path in the profile."""

    path: str
    people: People = NOBODY
    faults: tuple[str, ...] = ()


def read_people(path: str, folder: Path) -> PeopleFile:
    """Read a users file; `folder` is the folder of the profile. A user's mistake does not raise an error."""
    file = read_user_script(path, folder)
    if file.fault is not None:
        return PeopleFile(path=path, faults=(file.fault,))
    text = file.text.removeprefix("\ufeff")
    data, faults = _of_csv(text) if path.endswith(".csv") else _of_yaml(text)
    if faults:
        return PeopleFile(path=path, faults=tuple(faults)[:_MOST_FAULTS])
    try:
        return PeopleFile(path=path, people=People.model_validate(data))
    except ValidationError as error:
        found = [_in_words(dict(fault), data) for fault in error.errors(include_url=False)]
        return PeopleFile(path=path, faults=tuple(found)[:_MOST_FAULTS])


def _of_yaml(text: str) -> tuple[dict[str, Any], list[str]]:
    document = read_yaml(text)
    faults = [f"line {problem.line}: {problem.message}" for problem in document.problems]
    if not faults and not isinstance(document.data, dict):
        faults = ["it contains neither `users:` nor `groups:`"]
    return (document.data if isinstance(document.data, dict) else {}), faults


def _of_csv(text: str) -> tuple[dict[str, Any], list[str]]:
    """Parse CSV with a header line and a line for each user; the groups are read from these lines."""
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        unknown = [name for name in rows.fieldnames or () if name not in COLUMNS]
        if unknown or "name" not in (rows.fieldnames or ()):
            listed = ",".join(COLUMNS)
            named = (
                f"the first line contains {unknown[0]!r}"
                if unknown
                else "the first line does not contain `name`"
            )
            return {}, [f"{named}; allowed columns: {listed}"]
        twice = [name for name in COLUMNS if (rows.fieldnames or ()).count(name) > 1]
        if twice:
            return {}, [f"the first line contains {twice[0]!r} twice"]
        users, faults = [], []
        for row in rows:
            # csv puts surplus values of a line under the key None, and None in place of missing values
            if None in row or None in row.values():
                faults.append(f"line {rows.line_num}: the number of values differs from the first line")
            else:
                users.append(dict(_values(row)))
    except csv.Error as error:
        return {}, [f"it is not valid CSV: {error}"]
    named_groups = {
        name for user in users for name in (user.get("group"), *user.get("groups", ())) if name is not None
    }
    return {"users": users, "groups": [{"name": name} for name in sorted(named_groups)]}, faults


def _values(row: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a line in the form that a profile has; empty values are omitted."""
    for name, value in ((name, value.strip()) for name, value in row.items()):
        if not value:
            continue
        if name in _LISTS:
            yield name, [part.strip() for part in value.split(";") if part.strip()]
        elif name == "uid" and value.isdecimal() and len(value) <= _LONGEST_NUMBER:
            yield name, int(value)
        elif name == "sudo" and value in ("true", "false"):
            yield name, value == "true"
        else:
            yield name, value


def _in_words(fault: dict[str, Any], data: dict[str, Any]) -> str:
    """Return one fault with its path, for example `users[3] (ada) uid: ...`."""
    place = fault["loc"]
    _, message, hint = describe(fault, ("access", *place), {"access": data})
    listed = data.get(str(place[0])) if place else None
    item = listed[place[1]] if isinstance(listed, list) and len(place) > 1 else None
    name = item.get("name") if isinstance(item, dict) else None
    called = f" ({name})" if isinstance(name, str) else ""
    where = "".join(f"[{step}]" if isinstance(step, int) else f" {step}" for step in place[:2]).strip()
    rest = " ".join(str(step) for step in place[2:])
    return f"{' '.join(filter(None, (where + called, rest)))}: {message}; {hint}"
