"""Find a data profile's SSM parameters with ids that are retained after the template no longer has them."""

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
"""Maximum number of names for DeleteParameters (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DeleteParameters.html)."""


def path_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Find published paths that a data stack no longer has, and new paths that may exist already."""
    leaving = _published(found, found.before, (Action.RETAIN, Action.REPLACE))
    if leaving:
        yield diagnostic(
            codes.PATH_STAYS,
            ", ".join(leaving),
            f"{_number(leaving)} removed from this stack, but not deleted, because clusters may read "
            f"{_them(leaving)}; if you add a path again later, a plain `cdk deploy` fails",
            "before you add a path again, check that no cluster reads it, and run "
            f"{_way_out(found, leaving)}",
        )
    coming = _published(found, found.after, (Action.ADD, Action.REPLACE)) if _is_data_stack(found) else {}
    if coming:
        yield diagnostic(
            codes.PATH_STAYS,
            ", ".join(coming),
            f"{_number(coming)} added to this stack; if an earlier version of the profile left "
            f"{_them(coming)}, the parameter already exists and a plain `cdk deploy` fails",
            f"if the deployment fails, and no cluster reads the path, run {_way_out(found, coming)}",
        )


def _is_data_stack(found: Comparison) -> bool:
    """Return whether OLD publishes a path; in a first deployment, OLD is empty and publishes no path."""
    return any(
        found.old.kind(name) == _PARAMETER and _is_published(found.before.get(name))
        for name in found.old.order
    )


def _published(
    found: Comparison, side: Mapping[str, Mapping[str, Any]], actions: tuple[Action, ...]
) -> dict[str, str]:
    """Return the published paths of one side by logical id, if their change has one of these actions."""
    return {
        change.logical_id: str(side[change.logical_id]["Name"])
        for change in sorted(found.of_kind(_PARAMETER), key=lambda change: change.logical_id)
        if change.action in actions and _stays(change) and _is_published(side.get(change.logical_id))
    }


def _is_published(properties: Mapping[str, Any] | None) -> bool:
    return _PUBLISHED.fullmatch(str((properties or {}).get("Name"))) is not None


def _stays(change: Change) -> bool:
    return change.action is Action.ADD or change.policy is Policy.RETAIN


def _number(paths: Mapping[str, str]) -> str:
    return f"{len(paths)} published path{' is' if len(paths) == 1 else 's are'}"


def _them(paths: Mapping[str, str]) -> str:
    return "it" if len(paths) == 1 else "them"


def _way_out(found: Comparison, paths: Mapping[str, str]) -> str:
    """Return the commands that delete the paths: one AWS CLI command if possible, or `make deploy`."""
    clears = "`make deploy PROFILE=... AWS=1`, which deletes the paths that no cluster reads"
    if len(paths) > _AT_ONCE:
        return clears
    names = " ".join(paths.values())
    return f"`aws ssm delete-parameters --region {found.new.region} --names {names}`, or {clears}"
