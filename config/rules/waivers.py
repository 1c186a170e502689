"""What a profile's waivers do to its diagnostics, and how they travel in its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from config.diagnostics import Code, Diagnostic, Path
from config.profile.source import codes
from config.profile.source.merge import Layered
from config.profile.source.reference import nearest
from config.profile.waiver import Waiver

METADATA = "ultracluster:waivers"
"""The key of a template's Metadata under which its waivers stand."""


def waive(
    waivers: Sequence[Waiver],
    found: Sequence[Diagnostic],
    layered: Layered,
    known: Mapping[str, Code],
    judged: Collection[str],
) -> list[Diagnostic]:
    """Every diagnostic, those of a waived code with its reason, and what is wrong with the waivers.

    `known` has every code; `judged` those that were looked for in full, so that a waiver can be unused.
    """
    counts = Counter(diagnostic.code for diagnostic in found)
    reasons: dict[str, str] = {}
    faults: list[Diagnostic] = []
    for number, waiver in enumerate(waivers):
        code = known.get(waiver.code)
        at: Path = ("waive", number, "code")
        if code is None:
            faults.append(layered.diagnose(codes.WAIVER_UNKNOWN, at, *_unknown(waiver.code, known)))
        elif not code.waivable:
            faults.append(layered.diagnose(codes.WAIVER_REFUSED, at, *_refused(code)))
        elif waiver.code in reasons:
            message = f"{waiver.code} is waived twice"
            faults.append(layered.diagnose(codes.WAIVER_TWICE, at, message, "keep one of the two"))
        else:
            reasons[waiver.code] = waiver.reason.strip()
            if waiver.code in judged and not counts[waiver.code]:
                message = f"there is no {waiver.code} to waive"
                faults.append(layered.diagnose(codes.WAIVER_UNUSED, at, message, "take the waiver out"))
    return [*(replace(d, waived=reasons.get(d.code)) for d in found), *faults]


def as_metadata(waivers: Sequence[Waiver]) -> list[dict[str, str]]:
    """The waivers as they stand in a template, by code."""
    ordered = sorted(waivers, key=lambda waiver: waiver.code)
    return [{"code": waiver.code, "reason": waiver.reason.strip()} for waiver in ordered]


def stated_in(metadata: Any) -> dict[str, str]:
    """Code and reason of every waiver in a template's Metadata, whatever else is written there."""
    stated = metadata.get(METADATA) if isinstance(metadata, Mapping) else None
    return dict(_pairs(stated)) if isinstance(stated, list) else {}


def waived_in(metadata: Any, known: Mapping[str, Code]) -> dict[str, str]:
    """The waivers of a template that hold: a hand that adds another code to it waives nothing."""
    return {
        code: reason for code, reason in stated_in(metadata).items() if code in known and known[code].waivable
    }


def _pairs(stated: list[Any]) -> Iterator[tuple[str, str]]:
    for waiver in stated:
        pair = (waiver.get("code"), waiver.get("reason")) if isinstance(waiver, Mapping) else (None, None)
        if isinstance(pair[0], str) and isinstance(pair[1], str) and pair[1].strip():
            yield pair[0], pair[1].strip()


def _unknown(given: str, known: Mapping[str, Code]) -> tuple[str, str]:
    close = nearest(given, [code.lower() for code in known])
    start = f"did you mean {' or '.join(code.upper() for code in close)}? " if close else ""
    return f"no diagnostic has the code {given}", f"{start}docs/reference/rules.md lists all codes"


def _refused(code: Code) -> tuple[str, str]:
    return (
        f"{code.code} cannot be waived: {code.holds}",
        f"take the waiver out; `ultracluster explain {code.code}` says what to write instead",
    )
