"""What a change of a repository does to every profile in it."""

from __future__ import annotations

from dataclasses import replace

from config.diagnostics import in_reading_order
from scripts.cloud.template.provider_schemas import FALLBACK_REGION

from .inputs.changed import ChangedProfile, Options, changed_profiles, stops
from .inputs.profiles import ProfileRead
from .model import Review
from .report import Report, review_stacks


def review_changed(old: str, new: str, options: Options) -> Report:
    """The reviews of all profiles that differ between two revisions, or build on a file that does.

    Raises UnusableInputsError, or UnusableError for what belongs to no side.
    """
    found = changed_profiles(old, new, options)
    return Report(old=found.old, new=found.new, stacks=tuple(_review(profile) for profile in found.profiles))


def _review(profile: ChangedProfile) -> Review:
    old, new = profile.old, profile.new
    if new is not None and new.stack is None:
        return _refused(profile, new)
    before = old.stack if old else None
    if new is None and before is None:  # what goes was refused: it never was deployed from here
        return Review(region=FALLBACK_REGION, profile=profile.path, status="removed")
    review = replace(review_stacks(before, new.stack if new else None), profile=profile.path)
    if new is None or before is not None:
        return review
    # of a stack that is new the rules' findings are new too
    of_rules = [*review.diagnostics, *new.found]
    review = replace(review, diagnostics=tuple(in_reading_order(of_rules)))
    return replace(review, status="mended", gone=tuple(stops(old))) if old else review


def _refused(profile: ChangedProfile, new: ProfileRead) -> Review:
    """A profile with errors: there is no template to compare, and what is deployed stays as it is."""
    was = profile.old.stack if profile.old else None
    return Review(
        region=(was.region if was else None) or FALLBACK_REGION,
        stack=was.name if was else None,
        profile=profile.path,
        status="refused",
        diagnostics=new.found,
    )
