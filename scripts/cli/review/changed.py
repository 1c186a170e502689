"""Review each profile that differs between two revisions of a repository."""

from __future__ import annotations

from dataclasses import replace

from config.diagnostics import in_reading_order
from scripts.cloud.template.provider_schemas import FALLBACK_REGION

from .inputs.changed import ChangedProfile, Options, changed_profiles, stops
from .inputs.profiles import ProfileRead
from .model import Review
from .report import Report, review_stacks


def review_changed(old: str, new: str, options: Options) -> Report:
    """Review each profile that differs between two revisions, or whose named files differ.

    Raises UnusableInputsError for problems of OLD or NEW, and UnusableError for other problems.
    """
    found = changed_profiles(old, new, options)
    return Report(old=found.old, new=found.new, stacks=tuple(_review(profile) for profile in found.profiles))


def _review(profile: ChangedProfile) -> Review:
    old, new = profile.old, profile.new
    if new is not None and new.stack is None:
        return _refused(profile, new)
    before = old.stack if old else None
    if new is None and before is None:  # the removed profile had errors, so it was never deployed
        return Review(region=FALLBACK_REGION, profile=profile.path, status="removed")
    review = replace(review_stacks(before, new.stack if new else None), profile=profile.path)
    if new is None or before is not None:
        return review
    # all findings of a new stack are new
    of_rules = [*review.diagnostics, *new.found]
    review = replace(review, diagnostics=tuple(in_reading_order(of_rules)))
    return replace(review, status="mended", gone=tuple(stops(old))) if old else review


def _refused(profile: ChangedProfile, new: ProfileRead) -> Review:
    """Return the review of a profile with errors; it compares no templates, because there is no new one."""
    was = profile.old.stack if profile.old else None
    return Review(
        region=(was.region if was else None) or FALLBACK_REGION,
        stack=was.name if was else None,
        profile=profile.path,
        status="refused",
        diagnostics=new.found,
    )
