"""Corrections for HyperPod add-ons on EKS: updates that are not possible in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.catalog import catalog
from config.catalog.files import version_parts
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from scripts.cloud.template.effects import Effect
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY

from .model import Change, Correct, Correction


def _breaks(change: Change) -> Iterator[Correction]:
    """Reject an update from an add-on version to a later, incompatible one (HYPERPOD-33)."""
    facts, (name, _) = hyperpod_eks(), change.sides("AddonName")
    first = facts.breaks.get(str(name))
    was, will = (str(side or "") for side in change.sides("AddonVersion"))
    if first is None or not was.startswith("v") or not will.startswith("v") or KNOWN_AFTER_APPLY in will:
        return
    if version_parts(was) < version_parts(first) <= version_parts(will):
        reason = (
            f"{name} cannot be updated from {was} to {will}, because objects of the old version remain in "
            "the cluster"
        )
        hint = "remove the add-on, delete its custom resource definitions, and add it again"
        source = catalog().sources[facts.sources["breaks"][0]]
        yield Correction(("AddonVersion",), Effect.REFUSED, reason, source, hint)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {"AWS::EKS::Addon": (_breaks,)}
