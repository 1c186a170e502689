"""Properties of every profile, valid or not."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from config.cluster import Cluster, load_cluster
from config.design.report.plan import report
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.loader import load
from config.profile.source.yaml_source import read_yaml
from scripts.cli.markdown import MAX_CHARACTERS
from scripts.cli.plan.as_markdown import as_markdown
from scripts.cli.plan.build import document_of
from scripts.cli.plan.command import show_plan
from scripts.cli.plan.html.page import as_page
from scripts.cli.shell import SHELL_RULES
from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.checks.amp import check_amp
from scripts.tools.fuzz.checks.by_schema import check_shape_by_schema
from scripts.tools.fuzz.checks.diagnostics import check_diagnostics
from scripts.tools.fuzz.finding import Finding
from scripts.tools.fuzz.values.texts import block

WIDTH = 80
_WITHOUT_TEXT = re.compile(r">[^<]*")
_OF_THE_FILES = frozenset({"PRO004", "PRO028", "ORC026", "ORC031"})
"""Codes about profiles in several files; a profile in one file does not cause them."""


@dataclass(frozen=True)
class Checked:
    """A checked case, its cluster (None if loading raised an exception) and its findings."""

    case: Case
    cluster: Cluster | None
    findings: tuple[Finding, ...]


def check(case: Case, *, plan_text: bool = True) -> Checked:
    """Validate a case and check each property; `plan_text` also prints the plan, which is slow."""
    with case.written() as folder:
        before = _outside(folder)
        try:
            cluster = case.load(folder)
        except Exception as error:
            return Checked(case, None, (raised("validation never raises", error),))
        findings = [*check_diagnostics(case, cluster)]
        try:
            findings += _pure(case, cluster, folder, before)
            findings += _orderless(case, cluster, folder)
            findings += _dumped(case, cluster, folder)
            findings += check_amp(cluster)
            findings += _planned(case, cluster, folder, text=plan_text)
        except Exception as error:
            findings.append(raised("processing never raises", error))
    return Checked(case, cluster, tuple(dict.fromkeys(findings)))


def raised(holds: str, error: Exception) -> Finding:
    """Return an exception as a finding, with the file and line that raised it."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f" in {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return Finding(holds, f"{type(error).__name__}: {str(error)[:200]}{place}")


def _outside(folder: Path) -> tuple[Any, ...]:
    """Return the state that validation must not change: files, environment and working folder."""
    files = sorted((file.as_posix(), file.stat().st_mtime_ns) for file in folder.rglob("*"))
    return files, dict(os.environ), os.getcwd()


def _pure(case: Case, cluster: Cluster, folder: Path, before: tuple[Any, ...]) -> Iterator[Finding]:
    if case.load(folder) != cluster:
        yield Finding("validation returns the same result twice", "it differs")
    if _outside(folder) != before:
        yield Finding("validation has no side effects", "files, environment or working folder changed")


def _orderless(case: Case, cluster: Cluster, folder: Path) -> Iterator[Finding]:
    """Yield a finding if another order of keys changes the result."""
    document = read_yaml(case.text())
    unread = {"PRO003", "PRO004"} & {diagnostic.code for diagnostic in cluster.diagnostics}
    if unread or document.problems or not isinstance(document.data, dict):
        return
    (folder / MAIN).write_text(block(_reversed(document.data)), encoding="utf-8", errors="surrogatepass")
    other = case.load(folder)
    (folder / MAIN).write_bytes(case.files[MAIN])
    one, two = _texts(cluster), _texts(other)
    if one != two:
        yield Finding("the order of keys does not matter", f"{_first_difference(one, two)}")
    if cluster.design != other.design:
        yield Finding("the order of keys does not matter", "the design differs")


def _reversed(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _reversed(data[key]) for key in reversed(data)}
    return [_reversed(item) for item in data] if isinstance(data, list) else data


def _texts(cluster: Cluster) -> set[tuple[str, str, str, str]]:
    return {(d.code, d.path, d.message, d.hint) for d in cluster.diagnostics}


def _first_difference(one: set[tuple[str, str, str, str]], two: set[tuple[str, str, str, str]]) -> str:
    code, path, message, _ = sorted(one ^ two)[0]
    return f"{code} {path}: {message}"


def _dumped(case: Case, cluster: Cluster, folder: Path) -> Iterator[Finding]:
    """Yield a finding if the profile differs after it is written as one file and read again."""
    loaded = load(case.profile, orchestrator=case.orchestrator, base=folder)
    if case.orchestrator is not None and case.orchestrator not in ORCHESTRATORS:
        return
    yield from check_shape_by_schema(loaded)
    if loaded.profile is None or loaded.base_missing:
        return
    dumped = loaded.profile.model_dump(mode="json", by_alias=True, exclude_unset=True)
    (folder / "dumped.yaml").write_text(block(dumped), encoding="utf-8")
    again = load_cluster("dumped.yaml", base=folder)
    (folder / "dumped.yaml").unlink()
    if cluster.design is not None and again.design != cluster.design:
        yield Finding("a profile written as one file has the same design", "the design differs")
    # with one file, a waiver of a code about files is unused (PRO043)
    of_files = {waiver.code for waiver in loaded.profile.waive} & _OF_THE_FILES
    passed = _OF_THE_FILES | ({"PRO043"} if of_files else set())
    codes = [sorted(d.code for d in c.diagnostics if d.code not in passed) for c in (cluster, again)]
    if codes[0] != codes[1]:
        yield Finding(
            "a profile written as one file has the same diagnostics", f"{codes[0]}, then {codes[1]}"
        )


def _planned(case: Case, cluster: Cluster, folder: Path, *, text: bool) -> Iterator[Finding]:
    if cluster.design is None or case.profile != MAIN:
        return
    plan = report(cluster.design).as_dict()
    if json.loads(json.dumps(plan, allow_nan=False)) != _listed(plan):
        yield Finding("a plan is unchanged after JSON", "it differs")
    if not text:
        return
    status, output = printed_plan(case, folder)
    # both commands also let bash read the scripts of a profile
    validated = load_cluster(case.profile, orchestrator=case.orchestrator, base=folder, further=SHELL_RULES)
    if status != validated.exit_status:
        yield Finding("plan has the exit status of validate", f"{status} instead of {validated.exit_status}")
    if validated.design is None:
        return
    for line in output.splitlines():
        # addresses, places and commands are not wrapped, so that users can copy them
        if len(line) > WIDTH and not re.search(r"https://|at: |^  TZ=UTC scontrol ", line):
            yield Finding("a plan fits a terminal", f"{len(line)} columns: {line}")
            break
    yield from _other_forms(validated)


def _other_forms(cluster: Cluster) -> Iterator[Finding]:
    """Yield a finding if the comment of a pull request is too long, or the HTML page has a script."""
    assert cluster.design is not None
    plan = report(cluster.design)
    document = document_of(plan, cluster.diagnostics)
    comment = as_markdown(document)
    if len(comment) > MAX_CHARACTERS or "(cut off" in comment:
        yield Finding("a plan fits a comment", f"{len(comment)} characters, ends {comment[-80:]!r}")
    page = as_page(document, plan, cluster.design)
    wrong = re.search(r"<script|<img|javascript:|\son\w+=", _WITHOUT_TEXT.sub("", page))
    if wrong:
        yield Finding("a page has no script", page[max(0, wrong.start() - 80) : wrong.end() + 80])


def printed_plan(case: Case, folder: Path) -> tuple[int, str]:
    """Return the exit status and the output of `ultracluster plan` at 80 columns."""
    out = io.StringIO()
    with (
        patch.dict(os.environ, {"COLUMNS": str(WIDTH), "NO_COLOR": "1"}),
        redirect_stdout(out),
        redirect_stderr(out),
    ):
        status = show_plan(str(folder / MAIN), orchestrator=case.orchestrator, form="text")
    return status, out.getvalue()


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(inner) for key, inner in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value
