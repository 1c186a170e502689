"""Checks that diagnostics are complete, contain no Python terms and have the line of the key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import yaml

from config.cluster import Cluster
from config.diagnostics import Diagnostic, format_path, render
from config.profile.source.reference import BUILT_IN_FOLDER
from config.rules.codes import CODES
from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.finding import Finding

_LONGEST = 2000
_MOST_KEYS = 20_000
_LINE_END = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
_LEAKS = re.compile(
    r"<class |<function|object at 0x|NoneType|PosixPath|Traceback|mappingproxy|frozenset|OrderedDict|"
    r"\{'|\['|\('|pydantic|ValidationError|(?i:input should|field required|extra inputs|valid string)|"
    r"\b(None|True|False|dict|tuple|nan)\b"
)
_HAVE_NONE = {"PCS034", "PCS035"}
"""Codes about Slurm settings; `None` is a valid value of some settings."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# reported while a file is read, so their paths may not be keys of a profile
_OF_FILES = frozenset({"PRO003", "PRO004", "PRO005", "PRO006"})


def check_diagnostics(case: Case, cluster: Cluster) -> Iterator[Finding]:
    """Yield the findings of the diagnostics of a case."""
    rejected = any(diagnostic.stops for diagnostic in cluster.diagnostics)
    if rejected != (cluster.design is None):
        yield Finding(
            "a rejected profile has an error", f"rejected: {rejected}, design: {cluster.design is not None}"
        )
    status = 0 if not rejected else 1 if cluster.usable else 2
    if cluster.exit_status != status:
        yield Finding("the exit status follows the severities", f"{cluster.exit_status} instead of {status}")
    inputs = "\n".join([*map(case.text, case.files), case.orchestrator or "", case.profile or ""])
    for diagnostic in cluster.diagnostics:
        yield from _parts(diagnostic)
        yield from _wording(diagnostic, inputs)
    yield from _lines(case, cluster)


def _parts(diagnostic: Diagnostic) -> Iterator[Finding]:
    holds = "a diagnostic is complete"
    code = CODES.get(diagnostic.code)
    if code is None:
        yield Finding(holds, f"{diagnostic.code} is not a code")
        return
    if diagnostic.severity is not code.severity:
        yield Finding(holds, f"{code.code} has the severity {diagnostic.severity}")
    if diagnostic.waived is not None and not code.waivable:
        yield Finding(holds, f"{code.code} is waived, but cannot be")
    for part in ("path", "message", "hint", "source"):
        if not getattr(diagnostic, part):
            yield Finding(holds, f"{code.code} has no {part}")
    if not render(diagnostic).startswith(("waived ", f"{diagnostic.severity}[{diagnostic.code}]")):
        yield Finding(holds, f"{code.code} is rendered without its severity and code")
    if json.loads(json.dumps(diagnostic.as_dict())) != diagnostic.as_dict():
        yield Finding(holds, f"{code.code} differs after JSON")


def _wording(diagnostic: Diagnostic, inputs: str) -> Iterator[Finding]:
    for part in ("path", "message", "hint"):
        text: str = getattr(diagnostic, part)
        where = f"{diagnostic.code} {part}"
        if len(text) > _LONGEST:
            yield Finding("a diagnostic is short", f"{where} has {len(text)} characters: {text[:60]!r}")
        control = _CONTROL.search(text)
        if control:
            yield Finding(
                "a diagnostic is one line of plain text", f"{where} contains {control[0]!r}: {text[:200]!r}"
            )
        for leak in _LEAKS.finditer(text):
            # the end of a quoted value can look like the start of a list
            if leak[0] == "None" and diagnostic.code in _HAVE_NONE:
                continue
            closes = leak[0][-1] == "'" and leak[0][0] in inputs and text[: leak.end()].count("'") % 2 == 0
            if leak[0] not in inputs and not closes:
                yield Finding(
                    "a diagnostic has no Python terms", f"{where} contains {leak[0]!r}: {text[:200]}"
                )
        if part != "path" and text.endswith(".") and text.split()[-1] not in inputs:
            yield Finding("a diagnostic ends without a period", f"{where}: {text[-80:]}")


def _lines(case: Case, cluster: Cluster) -> Iterator[Finding]:
    """Check that the line of a diagnostic exists in its file, and is the line of the key."""
    own = lines_of(case.text())
    for diagnostic in cluster.diagnostics:
        place = f"{diagnostic.code} at {diagnostic.path}"
        if diagnostic.line is not None and not 1 <= diagnostic.line <= _length(case, diagnostic.file):
            yield Finding("a line number is within its file", f"{place}: {diagnostic.file}:{diagnostic.line}")
        is_own = diagnostic.path in own and diagnostic.path != "profile"
        if diagnostic.code in _OF_FILES or case.orchestrator is not None or not is_own:
            continue
        wanted = own[diagnostic.path]
        if (
            Path(diagnostic.file or "") != Path(MAIN) or diagnostic.line != wanted
        ):  # `./my.yaml` is the same file
            where = f"{diagnostic.file}:{diagnostic.line}"
            yield Finding(
                "a diagnostic has the line of its key",
                f"{place} is reported at {where}, the key is at line {wanted}",
            )


def lines_of(text: str) -> dict[str, int]:
    """Return the line of each key and list item by path; empty if the text is not valid YAML."""
    try:
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    if not isinstance(node, yaml.MappingNode):
        return {}
    return dict(islice(_walked(node, ()), _MOST_KEYS))  # a few lines with aliases can expand without end


def _walked(node: yaml.Node, at: tuple[str | int, ...]) -> Iterator[tuple[str, int]]:
    if len(at) > 12:
        return
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield format_path((*at, key.value)), key.start_mark.line + 1
                yield from _walked(value, (*at, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield format_path((*at, number)), value.start_mark.line + 1
            yield from _walked(value, (*at, number))


def _length(case: Case, file: str | None) -> int:
    """Return the number of lines in the file of a diagnostic."""
    name = Path(file or MAIN)
    built_in = BUILT_IN_FOLDER / name.name
    if name.as_posix() in case.files:
        text = case.text(name.as_posix())
    else:
        text = built_in.read_text(encoding="utf-8") if built_in.is_file() else ""
    return len(_LINE_END.findall(text)) + 1
