"""Review every stack of two sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from config.diagnostics import Diagnostic, has_errors, in_reading_order
from config.review import codes
from scripts.cloud.template.document import Template
from scripts.cloud.template.provider_schemas import FALLBACK_REGION

from .dangers.findings import diagnostic
from .differences.money import cost_changes, quota_changes
from .errors import UnusableError
from .inputs.side import Side, StackTemplate
from .model import Review
from .stack import review_templates

_NOTHING = Template("", {"Resources": {}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The reviews of all stacks, by name."""

    old: str
    new: str
    stacks: tuple[Review, ...]

    @property
    def exit_status(self) -> int:
        """Return 1 if a finding is an error, else 0."""
        return 1 if any(has_errors(review.diagnostics) for review in self.stacks) else 0


def review_sides(old: Side, new: Side, *, region: str | None = None) -> Report:
    """Compare the stacks of two sides; if a side has several stacks, stacks of the same name are compared.

    `region` is used for templates without a Region. Raises UnusableError if stacks cannot be paired.
    """
    return Report(
        old=old.argument,
        new=new.argument,
        stacks=tuple(review_stacks(was, will, region or FALLBACK_REGION) for was, will in _pairs(old, new)),
    )


def _pairs(old: Side, new: Side) -> Iterator[tuple[StackTemplate | None, StackTemplate | None]]:
    if len(old.stacks) == len(new.stacks) == 1:
        yield old.stacks[0], new.stacks[0]
        return
    for side in (old, new):
        if side.stacks[0].name is None:
            other = new if side is old else old
            names = ", ".join(str(stack.name) for stack in other.stacks)
            raise UnusableError(
                [
                    f"{side.argument} is one template, {other.argument} has "
                    f"{len(other.stacks)} stacks: {names}"
                ],
                "use one template of the folder, or compare two folders",
            )
    before = {str(stack.name): stack for stack in old.stacks}
    after = {str(stack.name): stack for stack in new.stacks}
    for name in sorted(before.keys() | after.keys()):
        yield before.get(name), after.get(name)


def review_stacks(
    old: StackTemplate | None, new: StackTemplate | None, default: str = FALLBACK_REGION
) -> Review:
    """Return the review of one stack; `old` or `new` is None if that side does not have the stack.

    `default` is the Region of templates that do not name one.
    """
    shown = new or old
    assert shown is not None
    region = next((side.region for side in (new, old) if side and side.region), default)
    if new is None:
        message = f"stack `{shown.name}` is only in OLD; the stack remains deployed and is still billed"
        hint = (
            "delete the stack with `ultracluster teardown` after the stacks that depend on it, or add it to "
            "the app again"
        )
        found = diagnostic(codes.STACK_REMOVED, str(shown.name), message, hint)
        return Review(region=region, stack=shown.name, status="removed", diagnostics=(found,))
    before = old.template if old else _NOTHING
    review = review_templates(before, new.template, region=region, stack=shown.name)
    review = _with_plans(review, old, new)
    if old is None:
        return replace(review, status="added")
    identity = list(_identity(old, new))
    if identity:
        of_new = [d for d in review.diagnostics if _is_of_new(d)]
        return replace(review, diagnostics=(*identity, *of_new, *_found_since(old, new)))
    own = [*_protection(old, new), *_found_since(old, new)]
    others = own or review.costs or review.quotas or review.gone
    status = "changed" if others else review.status
    return replace(review, status=status, diagnostics=tuple(in_reading_order([*review.diagnostics, *own])))


def _with_plans(review: Review, old: StackTemplate | None, new: StackTemplate) -> Review:
    """Add the differences of price, quotas and findings, if both sides are profiles.

    A template has no price and no quotas.
    """
    if new.plan is None or (old is not None and old.plan is None):
        return review
    was = old.plan if old else None
    return replace(
        review,
        costs=cost_changes(was, new.plan),
        quotas=quota_changes(was, new.plan),
        gone=tuple(_found_since(new, old)) if old else (),
    )


def _is_of_new(found: Diagnostic) -> bool:
    """Return whether a finding is about NEW itself, and not about the change from OLD."""
    return found.code in (codes.NOT_VALID.code, codes.NOT_TAKEN.code) or not found.code.startswith("REV")


def _identity(old: StackTemplate, new: StackTemplate) -> Iterator[Diagnostic]:
    """Yield a finding if OLD and NEW are different stacks."""
    for what, was, will in (
        ("name", old.name, new.name),
        ("Region", old.region, new.region),
        ("account", old.account, new.account),
    ):
        if was and will and was != will:
            yield diagnostic(
                codes.OTHER_STACK,
                str(new.name),
                f"the {what} of the stack is {was} in OLD and {will} in NEW: CloudFormation creates NEW "
                "as a second stack, and OLD does not change",
                f"use the same {what} on both sides, or read this review as a comparison of two clusters",
            )


def _found_since(old: StackTemplate, new: StackTemplate) -> Iterator[Diagnostic]:
    """Yield the findings that rules report for NEW but not for OLD; line numbers are ignored."""
    if old.found is None or new.found is None:
        return
    known = {_without_place(found) for found in old.found}
    yield from (found for found in new.found if _without_place(found) not in known)


def _without_place(found: Diagnostic) -> Diagnostic:
    return replace(found, file=None, line=None)


def _protection(old: StackTemplate, new: StackTemplate) -> Iterator[Diagnostic]:
    if old.protected and new.protected is False:
        yield diagnostic(
            codes.PROTECTION_REMOVED,
            str(new.name),
            "the stack loses its termination protection: one `cdk destroy` deletes it",
            "remove `disposable: true`, or set `termination_protection` of the stack",
        )
