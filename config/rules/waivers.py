"""Apply the waivers of a profile to its diagnostics, and write them to its template."""

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
"""Key of the waivers in the Metadata of a template."""


def waive(
    waivers: Sequence[Waiver],
    found: Sequence[Diagnostic],
    layered: Layered,
    known: Mapping[str, Code],
    judged: Collection[str],
) -> list[Diagnostic]:
    """Return all diagnostics, with the reasons of waivers, and a diagnostic for each invalid waiver.

    `known` contains every code. `judged` contains the codes whose checks all ran. An unused waiver is
    reported only if its code is in `judged`.
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
            faults.append(layered.diagnose(codes.WAIVER_TWICE, at, message, "remove one of the two waivers"))
        else:
            reasons[waiver.code] = waiver.reason.strip()
            if waiver.code in judged and not counts[waiver.code]:
                message = f"this waiver has no effect, because the profile has no {waiver.code} finding"
                faults.append(layered.diagnose(codes.WAIVER_UNUSED, at, message, "remove the waiver"))
    return [*(replace(d, waived=reasons.get(d.code)) for d in found), *faults]


def as_metadata(waivers: Sequence[Waiver]) -> list[dict[str, str]]:
    """Return the waivers for a template, sorted by code."""
    ordered = sorted(waivers, key=lambda waiver: waiver.code)
    return [{"code": waiver.code, "reason": waiver.reason.strip()} for waiver in ordered]


def declared_in(metadata: Any) -> dict[str, str]:
    """Return the code and the reason of each valid waiver in the Metadata of a template."""
    declared = metadata.get(METADATA) if isinstance(metadata, Mapping) else None
    return dict(_pairs(declared)) if isinstance(declared, list) else {}


def waived_in(metadata: Any, known: Mapping[str, Code]) -> dict[str, str]:
    """Return those waivers of a template whose codes can be waived."""
    return {
        code: reason
        for code, reason in declared_in(metadata).items()
        if code in known and known[code].waivable
    }


def _pairs(declared: list[Any]) -> Iterator[tuple[str, str]]:
    for waiver in declared:
        pair = (waiver.get("code"), waiver.get("reason")) if isinstance(waiver, Mapping) else (None, None)
        if isinstance(pair[0], str) and isinstance(pair[1], str) and pair[1].strip():
            yield pair[0], pair[1].strip()


def _unknown(value: str, known: Mapping[str, Code]) -> tuple[str, str]:
    close = nearest(value, [code.lower() for code in known])
    start = f"did you mean {' or '.join(code.upper() for code in close)}? " if close else ""
    return f"unknown diagnostic code {value}", f"{start}docs/reference/rules.md lists all codes"


def _refused(code: Code) -> tuple[str, str]:
    return (
        f"{code.code} cannot be waived; the rule checks that {code.holds}",
        f"remove the waiver; `ultracluster explain {code.code}` shows how to correct the profile",
    )
