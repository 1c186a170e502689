"""The rules, and how all of them look at one profile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from config.design.model import Design
from config.diagnostics import Code, Diagnostic
from config.profile import codes
from config.profile.loader import UNAVAILABLE
from config.profile.merge import Layered
from config.profile.model import Profile
from config.review import codes as review_codes
from config.rules import (
    capacity,
    consistency,
    control_planes,
    data_repositories,
    deployed,
    efa,
    existing_network,
    network,
    observability,
    orchestration,
    reservations,
    storage,
    terms,
    ultraservers,
    waivers,
)
from config.rules.registry import Check, Rule

RULES: tuple[Rule, ...] = (
    *consistency.RULES,
    *network.RULES,
    *existing_network.RULES,
    *capacity.RULES,
    *reservations.RULES,
    *terms.RULES,
    *efa.RULES,
    *ultraservers.RULES,
    *orchestration.RULES,
    *control_planes.RULES,
    *storage.RULES,
    *data_repositories.RULES,
    *observability.RULES,
)

CODES: dict[str, Code] = {
    code.code: code
    for code in (
        *codes.CODES,
        UNAVAILABLE,
        *(rule.code for rule in RULES),
        *deployed.CODES,
        *review_codes.CODES,
    )
}
"""Every diagnostic code there is."""

_OF_PROFILES = frozenset(rule.code.code for rule in RULES) | {codes.INHERITED_NAME.code}


def judge(design: Design, layered: Layered, unjudged: Collection[str] = ()) -> list[Diagnostic]:
    """Everything that the rules find in a design; `layered` tells where each key stands.

    `unjudged` names top-level parts whose shape is wrong: rules that read one of them are passed over.
    """
    return [
        layered.diagnose(code, finding.at, finding.message, finding.hint)
        for code, check in _applicable(design.kinds, frozenset(unjudged))
        for finding in check(design)
    ]


@lru_cache(maxsize=1024)
def _applicable(kinds: frozenset[str], unjudged: frozenset[str]) -> tuple[tuple[Code, Check], ...]:
    """The rules that have something to say of a design with these kinds."""
    return tuple(
        (rule.code, rule.check)
        for rule in RULES
        if not rule.reads & unjudged and (not rule.where or rule.where & kinds)
    )


def waived(
    profile: Profile, found: Sequence[Diagnostic], layered: Layered, unjudged: Collection[str] = ()
) -> list[Diagnostic]:
    """The diagnostics of a profile with its waivers applied; none is lost.

    A waiver of a code that only templates show is never called unused, nor is any while parts are not judged.
    """
    judged = frozenset() if unjudged else _OF_PROFILES
    return waivers.waive(profile.waive, found, layered, CODES, judged)
