"""The rules, and how all of them look at one profile."""

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
    """Everything that the rules find in a design; `layered` tells where each key stands.

    `unjudged` names top-level parts whose shape is wrong: rules that read one of them are passed over.
    `further` rules are those of what shall be written from the profile.
    """
    kinds, parts = design.kinds, frozenset(unjudged)
    return [
        layered.diagnose(code, finding.at, finding.message, finding.hint)
        for code, check in (*_applicable(kinds, parts), *_of(further, kinds, parts))
        for finding in check(design)
    ]


@lru_cache(maxsize=1024)
def _applicable(kinds: frozenset[str], unjudged: frozenset[str]) -> tuple[tuple[Code, Check], ...]:
    """The rules that have something to say of a design with these kinds."""
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
    """The diagnostics of a profile with its waivers applied; none is lost.

    A waiver of a code that only templates show is never called unused, nor is any while parts are not judged.
    """
    if not profile.waive:
        return list(found)
    from config.rules.codes import CODES, OF_PROFILES  # every rule: only a waiver may name any of them
    from config.rules.waivers import waive

    return waive(profile.waive, found, layered, CODES, frozenset() if unjudged else OF_PROFILES)
