"""Recorded answers: read from files instead of an account, and written from an account.

A file is named after its command: `ec2.describe-subnets.json` has the output of `aws ec2 describe-subnets`.
If a command queries one resource, the resource's id is part of the file name:
`kms.describe-key.arn-aws-kms-us-west-2-ACCOUNT-key-1234.json`. An error response is a file with the key
`Error`, as in the API.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from config.diagnostics import HintedError
from scripts.cli.preflight.account import meaning
from scripts.cli.preflight.asking import MissingError, Source, UnansweredError, call_name

OWN, OTHERS = "123456789012", "111122223333"
"""Placeholders in recorded answers: for the queried account's number, and for other account numbers."""

ABOUT = "preflight"
"""Name of the file with the date and the Region of the answers."""

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NUMBER = r"(?<![0-9A-Za-z.])(?P<number>[0-9]{12})(?![0-9A-Za-z])"
_ACCOUNT = re.compile(f"{_UUID}|{_NUMBER}")
"""An account number; 12 digits at the end of a UUID do not match."""

_CONTINUED = ("NextToken", "nextToken", "NextMarker", "PaginationToken")
"""Keys of a response whose list continues on another page."""

_MOST_BYTES = 20_000_000
_LONGEST_NAME = 200


class UnreadableError(HintedError):
    """A folder of answers that cannot be used; `hint` is the solution."""


def without_accounts(text: str, own: str) -> str:
    """Return a text in which the placeholders OWN and OTHERS replace all account numbers."""
    found = _ACCOUNT if not own else re.compile(rf"{_UUID}|(?P<own>(?<![0-9]){own}(?![0-9]))|{_NUMBER}")

    def replaced(match: re.Match[str]) -> str:
        # the own number is replaced everywhere, also within the name of a bucket
        if match.groupdict().get("own"):
            return OWN
        return OTHERS if match["number"] else match[0]

    return found.sub(replaced, text)


def same(one: object, other: object) -> bool:
    """Return whether two ids or ARNs are equal except for account numbers."""
    return _nameless(str(one)) == _nameless(str(other))


def _nameless(text: str) -> str:
    return _ACCOUNT.sub(lambda m: "ACCOUNT" if m["number"] else m[0], text)


def file_stem(service: str, operation: str, region: str | None, parameters: Mapping[str, Any]) -> str:
    """Return a call's file name without `.json`; lists and filters are not part of the name."""
    things = [region] if region else []
    things += [value for _, value in sorted(parameters.items()) if isinstance(value, str)]
    names = [re.sub(r"[^A-Za-z0-9_.]+", "-", _nameless(thing)).strip("-") for thing in things]
    return ".".join([call_name(service, operation), *names])[:_LONGEST_NAME]


def _picked(parameters: Mapping[str, Any]) -> set[str]:
    """Return the items that a call selects by a list or a filter."""
    found: set[str] = set()
    for name, value in parameters.items():
        if not isinstance(value, list):
            continue
        for one in value:
            if isinstance(one, str):
                found.add(f"{name} {_nameless(one)}")
            elif isinstance(one, dict):
                found |= {f"{one.get('Name')} {_nameless(str(each))}" for each in one.get("Values", ())}
    return found


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Answers by file name without `.json`."""

    answers: Mapping[str, Any]
    place: str
    asked: str = ""
    picked: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The items that a recorded call selected, by file name; a file without an entry contains all items."""

    def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
        """Return the recorded answer; raises UnansweredError if there is none."""
        stem = file_stem(service, operation, region, parameters)
        found = self.answers.get(stem)
        if found is None:
            found = self._by_itself(call_name(service, operation), stem, parameters)
        if found is None:
            raise UnansweredError(f"{self.place} has no {stem}.json")
        if stem in self.picked and (others := _picked(parameters) - set(self.picked[stem])):
            what = ", ".join(sorted(other.partition(" ")[2] for other in others))
            raise UnansweredError(f"{stem}.json was recorded without {what}: record it again")
        if isinstance(found, dict) and isinstance(found.get("Error"), dict):
            error = found["Error"]
            raise meaning(service, operation, str(error.get("Code", "")), str(error.get("Message", "")))
        if isinstance(found, dict) and any(found.get(word) for word in _CONTINUED):
            raise UnansweredError(f"{stem}.json is one page of several: record all pages")
        return found

    def _by_itself(self, call: str, stem: str, parameters: Mapping[str, Any]) -> Any:
        """Return the answer of the file whose name is only the command, if the answer has the resource."""
        found = self.answers.get(call)
        if stem == call or not isinstance(found, dict) or "Error" in found:
            return None
        text = _nameless(json.dumps(found))
        named = [value for value in parameters.values() if isinstance(value, str)]
        return found if all(json.dumps(_nameless(value))[1:-1] in text for value in named) else None


def read_folder(folder: str, region: str) -> Recorded:
    """Read the answers in a folder; raises UnreadableError."""
    path = Path(folder)
    if not path.is_dir():
        raise UnreadableError(
            f"{folder} is not a folder of answers",
            "run `ultracluster preflight PROFILE --record FOLDER` to create one",
        )
    answers = {file.stem: _read(file) for file in sorted(path.glob("*.json"))}
    about = answers.pop(ABOUT, None)
    there = about.get("region") if isinstance(about, dict) else None
    if there not in (None, region):
        raise UnreadableError(
            f"the answers in {folder} are from {there}, but the profile is in {region}",
            f"record answers in {region}",
        )
    if not answers:
        raise UnreadableError(
            f"{folder} has no answers",
            "name files after their commands: ec2.describe-capacity-reservations.json",
        )
    asked = str(about.get("asked", "")) if isinstance(about, dict) else ""
    return Recorded(answers=answers, place=folder, asked=asked[:10], picked=_picked_in(about))


def _picked_in(about: Any) -> dict[str, list[str]]:
    """Return the selected items that `preflight.json` lists."""
    picked = about.get("picked") if isinstance(about, dict) else None
    if not isinstance(picked, dict):
        return {}
    return {
        str(stem): [str(one) for one in things] for stem, things in picked.items() if isinstance(things, list)
    }


def _read(file: Path) -> Any:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UnreadableError(
                f"{file} is larger than {_MOST_BYTES} bytes", "use the output of the command"
            )
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableError(
            f"{file} cannot be read as JSON: {error}", "use the output of a command with `--output json`"
        ) from None


class Recorder:
    """Queries a source and records its answers."""

    def __init__(self, source: Source, *, own: str, region: str) -> None:
        self._source, self._own, self._region = source, own, region
        self._lock, self._kept = threading.Lock(), dict[str, Any]()
        self._picked: dict[str, set[str]] = {}

    def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
        """Return the source's answer; a missing resource is recorded, other errors are not."""
        try:
            answer = self._source.ask(service, operation, region, parameters)
        except MissingError as error:
            code, _, message = str(error).partition(": ")
            stem = file_stem(service, operation, region, parameters)
            self._keep(stem, {"Error": {"Code": code, "Message": message}}, parameters)
            raise
        self._keep(file_stem(service, operation, region, parameters), answer, parameters)
        return answer

    def _keep(self, stem: str, answer: Any, parameters: Mapping[str, Any]) -> None:
        with self._lock:
            self._kept[stem] = _together(self._kept.get(stem), answer)
            if picked := _picked(parameters):
                self._picked.setdefault(stem, set()).update(picked)

    def write(self, folder: str, now: datetime) -> int:
        """Write the files, and return their number; raises UnreadableError if they cannot be written."""
        path = Path(folder)
        about = {
            "region": self._region,
            "asked": now.astimezone(UTC).isoformat(timespec="seconds"),
            "picked": {stem: sorted(things) for stem, things in self._picked.items()},
        }
        files = {ABOUT: about, **{key: _sorted(value) for key, value in self._kept.items()}}
        try:
            make_folder(folder)
            for stem, answer in sorted(files.items()):
                text = json.dumps(answer, indent=2, sort_keys=True)
                (path / f"{without_accounts(stem, self._own)}.json").write_text(
                    without_accounts(text, self._own) + "\n", encoding="utf-8"
                )
        except OSError as error:
            raise UnreadableError(
                f"{folder} cannot be written: {error.strerror}", "use another folder"
            ) from None
        return len(files)


def make_folder(folder: str) -> None:
    """Create a folder; raises UnreadableError if it exists and has files.

    Answers of two accounts must not be in one folder.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise UnreadableError(f"{folder} is not empty", "use a new folder")
    except OSError as error:
        raise UnreadableError(f"{folder} cannot be written: {error.strerror}", "use another folder") from None


def _together(one: Any, other: Any) -> Any:
    """Merge two answers of one command, with each listed item once."""
    if not isinstance(one, dict) or not isinstance(other, dict) or "Error" in one:
        return other
    if "Error" in other:
        return one
    found = dict(one)
    for key, value in other.items():
        if isinstance(value, list):
            before = found.get(key, [])
            found[key] = [*before, *(item for item in value if item not in before)]
        else:
            found[key] = value
    return found


def _sorted(answer: Any) -> Any:
    """Sort lists, so that the order of calls does not matter."""
    if not isinstance(answer, dict):
        return answer
    return {
        key: sorted(value, key=lambda item: json.dumps(item, sort_keys=True))
        if isinstance(value, list)
        else value
        for key, value in answer.items()
    }
