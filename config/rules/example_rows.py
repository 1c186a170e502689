"""Good and bad examples of every code, for tests, docs/reference/rules.md and `ultracluster explain`.

The tables are in the folders of the codes: `ROOM/examples/` (profiles), `deployed/examples/` (resources of a
template), `preflight/examples/` (a profile and answers of an account), `../review/examples/` (two templates).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, ndiff
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import yaml

from config.profile.source.yaml_writer import as_yaml

_HERE = Path(__file__).resolve().parent
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_REGION = "us-west-2"
_HEAD = [
    {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
    {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
]
_SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
_TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16}
_EXPANDED = 4
_REPORT = re.compile(r"([a-z0-9]+)_([0-9]{2})_")

FILE = "my.yaml"
"""File name of a row's profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One row. A bad row has a finding of the code at `at`, whose text contains every text in `says`."""

    code: str
    kind: Literal["bad", "good"]
    row: str
    at: str
    says: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the row in tests."""
        return f"{self.code}-{self.kind}-{self.row}"

    @property
    def report(self) -> str | None:
        """The public failure report of the row: `storage_13_...` is STORAGE-13."""
        found = _REPORT.match(self.row)
        return f"{found[1].upper()}-{found[2]}" if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileExample(Example):
    """The argument of a command, and the files that the command reads."""

    argument: str | None
    orchestrator: str | None
    files: Mapping[str, str] = field(hash=False)

    @property
    def language(self) -> str:
        """Language of the text for syntax highlighting."""
        return "yaml" if self.argument == FILE and self.orchestrator is None else "console"

    @property
    def text(self) -> str:
        """The text that a user would write: the profile, or a command if the row sets its options."""
        if self.language == "yaml":
            shown = [self.files[FILE], *(f"# {n}\n{text}" for n, text in self.files.items() if n != FILE)]
            return "\n".join(shown)
        command = ["ultracluster", "validate", self.argument or '""']
        command += ["--orchestrator", self.orchestrator] if self.orchestrator else []
        beside = f"# here: {', '.join(self.files)}\n" if self.files else ""
        return f"{beside}$ {' '.join(command)}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateExample(Example):
    """The resource that a row checks, and further resources, each as (type, logical ID, properties)."""

    type: str
    region: str
    properties: Mapping[str, Any] = field(hash=False)
    beside: tuple[tuple[str, str, Mapping[str, Any]], ...] = field(hash=False)

    language: ClassVar[str] = "yaml"
    """Language of the text for syntax highlighting."""

    @property
    def text(self) -> str:
        """The resources as in a template, with their logical IDs."""
        shown = {"Example": {"Type": self.type, "Properties": self.properties}}
        others = {
            identity: {"Type": kind, "Properties": properties} for kind, identity, properties in self.beside
        }
        return as_yaml({**shown, **others}, expand=1 if len(others) <= _EXPANDED else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewExample(Example):
    """Two sides of a review: resources, a whole template, or a list of stacks."""

    old: Any = field(hash=False)
    new: Any = field(hash=False)

    language: ClassVar[str] = "diff"
    """Language of the text for syntax highlighting."""

    @property
    def text(self) -> str:
        """Line-by-line difference between the two sides."""
        old, new = (
            as_yaml({"stacks": side} if isinstance(side, list) else side, expand=1).splitlines()
            for side in (self.old, self.new)
        )
        lines = (line for line in ndiff(old, new) if not line.startswith("?"))
        return "".join(f"{line[:1]}{line[2:]}\n" for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightExample(Example):
    """A profile, and the answers of an account by file name.

    `account` is the account of the credentials; None if the answers are read from a folder. `on` is False if
    the Region is disabled in the account.
    """

    profile: ProfileExample
    answers: Mapping[str, Any] = field(hash=False)
    account: str | None = None
    on: bool = True

    language: ClassVar[str] = "console"
    """Language of the text for syntax highlighting."""

    @property
    def text(self) -> str:
        """The profile, the answers in the form of the AWS CLI, and the command."""
        folder = "answers"
        shown = [f"# {name}\n{text}" for name, text in self.profile.files.items()]
        shown += [f"# {folder}/{stem}.json\n{json.dumps(answer)}\n" for stem, answer in self.answers.items()]
        command = ["ultracluster", "preflight", self.profile.argument or '""']
        command += ["--orchestrator", self.profile.orchestrator] if self.profile.orchestrator else []
        asks = f"# with credentials of {self.account}\n" if self.account else ""
        asks += "" if self.on else "# the Region is not on for the account\n"
        command += [] if self.account else ["--answers", folder]
        return "".join([*shown, asks, f"$ {' '.join(command)}\n"])


AnyExample = ProfileExample | TemplateExample | ReviewExample | PreflightExample


@lru_cache(maxsize=1)
def examples() -> Mapping[str, tuple[AnyExample, ...]]:
    """Return all rows by code."""
    found: dict[str, list[AnyExample]] = {}
    others = [_HERE / other / "examples" for other in ("deployed", "preflight")]
    rooms = [folder for folder in sorted(_HERE.rglob("examples")) if folder not in others]
    tables: list[tuple[Path, Callable[[dict[str, Any], dict[str, Any]], AnyExample]]] = [
        *((room, _profile) for room in rooms),
        (others[0], _template),
        (others[1], _preflight),
        (_HERE.parent / "review" / "examples", _review),
    ]
    for folder, make in tables:
        for code, kind, shared, row in _rows(folder):
            found.setdefault(code, []).append(make(_common(code, kind, row), {**shared, **row}))
    return {code: tuple(rows) for code, rows in found.items()}


def bad_example(code: str) -> AnyExample:
    """Return the bad row for the pages, which is the first one."""
    return next(row for row in examples()[code] if row.kind == "bad")


def good_example(code: str) -> AnyExample:
    """Return the good row for the pages, which is the most similar to the bad row."""
    bad = bad_example(code)
    rows = [row for row in examples()[code] if row.kind == "good" and type(row) is type(bad)]
    return max(rows, key=lambda row: SequenceMatcher(None, bad.text, row.text, autojunk=False).ratio())


def reports_of(code: str) -> set[str]:
    """Return the public failure reports of a code's rows."""
    return {row.report for row in examples().get(code, ()) if row.report}


def _rows(folder: Path) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    for file in sorted(folder.glob("*.yaml")):
        table = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
        for code, rows in table.items():
            shared = {key: value for key, value in rows.items() if key not in ("bad", "good")}
            for kind in ("bad", "good"):
                yield from ((code, kind, shared, row) for row in rows[kind])


def _common(code: str, kind: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "code": code,
        "kind": kind,
        "row": str(row["row"]),
        "at": row.get("at", ""),
        "says": tuple(map(str, row.get("says", ()))),
    }


def _profile(common: dict[str, Any], row: dict[str, Any]) -> ProfileExample:
    argument = row.get("argument", FILE)
    files = {FILE: row["text"] if "text" in row else as_yaml(_declared(row))} if argument == FILE else {}
    files |= {
        name: content if isinstance(content, str) else as_yaml(content)
        for name, content in row.get("files", {}).items()
    }
    return ProfileExample(**common, argument=argument, orchestrator=row.get("orchestrator"), files=files)


def _declared(row: dict[str, Any]) -> dict[str, Any]:
    """Return the profile of the row.

    `train` changes the compute group of the profile p6-b200, and `more` adds groups. `under` replaces the
    control plane, and removes the Slurm controller and login groups. A Kubernetes cluster gets a system group
    at the end, unless the row is `without_system`.
    """
    profile = {"extends": "p6-b200", "name": "mine", **row.get("profile", {})}
    if "under" in row:
        profile["orchestrator"] = row["under"]
    if {"train", "more", "under"} & row.keys():
        head = [] if "under" in row else _HEAD
        groups = [*head, {**_TRAIN, **row.get("train", {})}, *row.get("more", [])]
        kubernetes = str(row.get("under", {}).get("kind")).endswith("eks")
        tail = [_SYSTEM] if kubernetes and not row.get("without_system") else []
        profile["compute"] = {"groups": [*groups, *tail]}
    return profile


def _template(common: dict[str, Any], row: dict[str, Any]) -> TemplateExample:
    beside = tuple((kind, identity, properties) for kind, identity, properties in row.get("with", []))
    return TemplateExample(
        **common,
        type=row["type"],
        region=row.get("region", _REGION),
        properties=row["properties"],
        beside=beside,
    )


def _preflight(common: dict[str, Any], row: dict[str, Any]) -> PreflightExample:
    return PreflightExample(
        **common,
        profile=_profile(common, row),
        answers={**row.get("always", {}), **row.get("answers", {})},
        account=row.get("account"),
        on=row.get("region_on", True),
    )


def _review(common: dict[str, Any], row: dict[str, Any]) -> ReviewExample:
    return ReviewExample(**common, old=row["old"], new=row["new"])
