"""Rules, and the check of one profile with all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from config.design.model import Design
from config.diagnostics import Code, Diagnostic
from config.profile.model import Profile
from config.profile.source.merge import Layered
from config.rules.registry import Check, Rule
from config.rules.rooms import rules


def judge(
    design: Design, layered: Layered, unjudged: Collection[str] = (), further: Sequence[Rule] = ()
) -> list[Diagnostic]:
    """Return all findings of the rules in a design.

    `layered` has the location of each key. `unjudged` names top-level parts with wrong keys or values; rules
    that read one of them are skipped. `further` are additional rules of a command, for example for its output
    file.
    """
    kinds, parts = design.kinds, frozenset(unjudged)
    return [
        layered.diagnose(code, finding.at, finding.message, finding.hint)
        for code, check in (*_applicable(kinds, parts), *_of(further, kinds, parts))
        for finding in check(design)
    ]


@lru_cache(maxsize=1024)
def _applicable(kinds: frozenset[str], unjudged: frozenset[str]) -> tuple[tuple[Code, Check], ...]:
    """Return the rules for a design with these kinds."""
    return tuple(_of(rules(kinds), kinds, unjudged))


def _of(
    rules: Sequence[Rule], kinds: frozenset[str], unjudged: frozenset[str]
) -> Iterator[tuple[Code, Check]]:
    for rule in rules:
        if not rule.reads & unjudged and (not rule.where or rule.where & kinds):
            yield rule.code, rule.check


def waived(
    profile: Profile, found: Sequence[Diagnostic], layered: Layered, unjudged: Collection[str] = ()
) -> list[Diagnostic]:
    """Return all diagnostics of a profile, with its waivers applied.

    A waiver is not reported as unused if its code is found only in templates, or if parts of the profile were
    not checked.
    """
    if not profile.waive:
        return list(found)
    from config.rules.codes import CODES, OF_PROFILES  # imports every rule, which only waivers need
    from config.rules.waivers import waive

    return waive(profile.waive, found, layered, CODES, frozenset() if unjudged else OF_PROFILES)
