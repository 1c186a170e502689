"""Reduction of a case to the smallest that still has its finding."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from config.profile.source.yaml_source import read_yaml
from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.checks.properties import check
from scripts.tools.fuzz.finding import Finding, Found
from scripts.tools.fuzz.values.mutations import places_in
from scripts.tools.fuzz.values.texts import block

_MOST_TRIES = 400


def shrunk(found: Found, findings_of: Callable[[Case], tuple[Finding, ...]] | None = None) -> Found:
    """Return the finding with the smallest case that still causes it."""
    look = findings_of or (lambda case: check(case).findings)
    best, tries = found, 0
    improved = True
    while improved:
        improved = False
        for smaller in _smaller(best.case):
            tries += 1
            if tries > _MOST_TRIES:
                return best
            same = [finding for finding in look(smaller) if finding.kind == found.finding.kind]
            if same:
                best, improved = Found(same[0], smaller), True
                break
    return best


def _smaller(case: Case) -> Iterator[Case]:
    """Yield smaller cases; each lacks one file, the `--orchestrator` option, or one key, item or line."""
    for name in case.files:
        if name != MAIN:
            yield replace(case, files={other: text for other, text in case.files.items() if other != name})
    if case.orchestrator is not None:
        yield replace(case, orchestrator=None)
    for name in case.files:
        document = read_yaml(case.text(name))
        if document.problems or not isinstance(document.data, dict):
            yield from _with_fewer_lines(case, name)
            continue
        for at in places_in(document.data):
            text = block(_without(document.data, at)).encode("utf-8", errors="surrogatepass")
            yield replace(case, files={**case.files, name: text})


def _without(data: Any, at: tuple[str | int, ...]) -> Any:
    left = copy.deepcopy(data)
    holder = left
    for step in at[:-1]:
        holder = holder[step]
    del holder[at[-1]]
    return left


def _with_fewer_lines(case: Case, name: str) -> Iterator[Case]:
    lines = case.files[name].split(b"\n")
    for number in range(len(lines)):
        left = b"\n".join(lines[:number] + lines[number + 1 :])
        yield replace(case, files={**case.files, name: left})
