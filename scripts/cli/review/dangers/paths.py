"""The parameters under which a data profile publishes its ids: they outlive what takes them out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from config.diagnostics import Diagnostic
from config.review import codes
from scripts.cli.review.compare import Comparison
from scripts.cli.review.model import Action, Change, Policy

from .findings import diagnostic

_PARAMETER = "AWS::SSM::Parameter"
_PUBLISHED = re.compile(r"/ultracluster/[^/]+/v1-[0-9a-f]+/[^/]+")
_AT_ONCE = 10
"""Names that DeleteParameters takes (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DeleteParameters.html)."""


def path_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Paths that leave a data stack and stay, and those that come to one and may be there already."""
    leaving = _published(found, found.before, (Action.RETAIN, Action.REPLACE))
    if leaving:
        yield diagnostic(
            codes.PATH_STAYS,
            ", ".join(leaving),
            f"{_number(leaving)} this stack and stay for the clusters that read them: as long as they are "
            "there, a plain `cdk deploy` that brings one back fails",
            f"before it comes back, and once no cluster reads it: {_way_out(found, leaving)}",
        )
    coming = _published(found, found.after, (Action.ADD, Action.REPLACE)) if _is_data_stack(found) else {}
    if coming:
        yield diagnostic(
            codes.PATH_STAYS,
            ", ".join(coming),
            f"{_number(coming, to=True)} this stack: a plain `cdk deploy` fails (the parameter already "
            "exists) where an earlier version of the profile has left one of them",
            f"where it does so, and no cluster reads the path: {_way_out(found, coming)}",
        )


def _is_data_stack(found: Comparison) -> bool:
    """Whether OLD publishes something: a first deployment has left nothing."""
    return any(
        found.old.kind(name) == _PARAMETER and _is_published(found.before.get(name))
        for name in found.old.order
    )


def _published(
    found: Comparison, side: Mapping[str, Mapping[str, Any]], actions: tuple[Action, ...]
) -> dict[str, str]:
    """The published paths of one side with one of these fates, by logical id."""
    return {
        change.logical_id: str(side[change.logical_id]["Name"])
        for change in sorted(found.of_kind(_PARAMETER), key=lambda change: change.logical_id)
        if change.action in actions and _stays(change) and _is_published(side.get(change.logical_id))
    }


def _is_published(properties: Mapping[str, Any] | None) -> bool:
    return _PUBLISHED.fullmatch(str((properties or {}).get("Name"))) is not None


def _stays(change: Change) -> bool:
    return change.action is Action.ADD or change.policy is Policy.RETAIN


def _number(paths: Mapping[str, str], *, to: bool = False) -> str:
    one = len(paths) == 1
    verb = ("comes to" if one else "come to") if to else ("leaves" if one else "leave")
    return f"{len(paths)} published path{'' if one else 's'} {verb}"


def _way_out(found: Comparison, paths: Mapping[str, str]) -> str:
    """The command that clears them, as far as one call takes them; `make deploy` looks for readers itself."""
    clears = "`make deploy PROFILE=... AWS=1`, which looks who reads them, and clears what nobody does"
    if len(paths) > _AT_ONCE:
        return clears
    names = " ".join(paths.values())
    return f"`aws ssm delete-parameters --region {found.new.region} --names {names}`, or {clears}"
