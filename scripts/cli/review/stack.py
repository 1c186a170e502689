"""Review one stack: compare two templates, and sort all changes and findings by danger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from config.diagnostics import Diagnostic, Severity, in_reading_order
from config.review import codes
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import ResourceFailedError

from .compare import Comparison, compare
from .dangers.findings import diagnostic, resource_findings
from .dangers.paths import path_findings
from .dangers.peak import node_findings, peak_findings
from .dangers.queues import queue_findings
from .dangers.renames import rename_findings, renames
from .differences.iam import iam_changes
from .differences.network import network_changes
from .differences.stack import stack_of
from .errors import UnusableError
from .evaluated import Evaluated, said
from .layers import LAYERS, OTHER
from .model import Action, Change, Review
from .sections import section_findings
from .symbols import symbols_in
from .waivers import waiver_changes

_SEVERITIES = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_LINK, _FILE_SYSTEM = "AWS::FSx::DataRepositoryAssociation", "AWS::FSx::FileSystem"


def review_templates(old: Template, new: Template, *, region: str, stack: str | None = None) -> Review:
    """Return the effects if `new` is deployed to a stack that was created from `old`.

    Raises UnusableError with all problems if CloudFormation would reject a template.
    """
    try:
        found = compare(*_evaluated(old, new, region, stack))
        diagnostics = in_reading_order(_without_renamed(found, _diagnostics(found)))
    except ResourceFailedError as error:
        raise UnusableError([said(error)]) from None
    changes = in_order_of_danger(found.changes.values(), diagnostics)
    waivers = tuple(waiver_changes(old, new))
    before, after = stack_of(found.old, found.before), stack_of(found.new, found.after)
    return Review(
        region=region,
        stack=stack,
        changes=tuple(changes),
        diagnostics=tuple(diagnostics),
        waivers=waivers,
        iam=iam_changes(before, after),
        network=network_changes(before, after),
        status="changed" if changes or diagnostics or waivers else "unchanged",
        counts=dict(Counter(change.action.value for change in changes)),
    )


def _evaluated(old: Template, new: Template, region: str, stack: str | None) -> list[Evaluated]:
    """Evaluate both sides; raises an error with the problems of both sides."""
    sides, problems = [], []
    for which, template in (("old", old), ("new", new)):
        try:
            sides.append(Evaluated.of(template, region, stack))
        except UnusableError as error:
            problems += [f"the {which} template: {problem}" for problem in error.problems]
    if problems:
        raise UnusableError(problems)
    return sides


def _diagnostics(found: Comparison) -> list[Diagnostic]:
    return [
        *resource_findings(found),
        *rename_findings(found),
        *node_findings(found),
        *peak_findings(found),
        *queue_findings(found),
        *section_findings(found),
        *path_findings(found),
        *_tags_of_linked(found),
    ]


def _without_renamed(found: Comparison, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Remove findings about the deletion of resources that another finding reports as renamed."""
    renamed = {
        diagnostic.path for diagnostic in diagnostics if diagnostic.code == codes.STATEFUL_RENAMED.code
    }
    old = {was for name, was in renames(found).items() if name in renamed}
    twice = (codes.STATEFUL_DELETED.code, codes.STATEFUL_LEFT.code)
    return [d for d in diagnostics if d.code not in twice or d.path not in old]


def _tags_of_linked(found: Comparison) -> list[Diagnostic]:
    linked = {
        name
        for link, properties in found.after.items()
        if found.new.kind(link) == _LINK
        for name in symbols_in(properties.get("FileSystemId"))
    }
    return [
        diagnostic(
            codes.LINKED_TAGS,
            f"{change.logical_id}/Tags",
            f"the tags of {change.type} change while it is linked to S3: FSx may reject the update",
            "keep the tags, or change them in the console",
        )
        for change in found.of_kind(_FILE_SYSTEM)
        if change.logical_id in linked
        and change.action is Action.IN_PLACE
        and all(edit.path[0] == "Tags" for edit in change.edits)
    ]


def in_order_of_danger(changes: Iterable[Change], diagnostics: Iterable[Diagnostic]) -> list[Change]:
    """Sort changes: those that lose or break something first, additions last."""
    worst: dict[str, int] = {}
    for found in diagnostics:
        if found.waived is not None:
            continue
        for name in found.path.split("/", 1)[0].split(", "):
            worst[name] = min(worst.get(name, 9), _SEVERITIES[found.severity])
    actions, layers = list(Action), [*LAYERS, OTHER]
    return sorted(
        changes,
        key=lambda c: (
            worst.get(c.logical_id, 9),
            actions.index(c.action),
            layers.index(c.layer),
            c.logical_id,
        ),
    )
