"""Steps and deployments that move a node group from one reservation to the next.

A rotation changes the capacity of the group. The group's name, subnet and logical id do not change.

- HyperPod accepts another training plan for an existing group as soon as the plan is scheduled
  (use-training-plan-for-hyperpod-update-using-api-cli-sdk).
- PCS accepts another Capacity Block, scheduled or active, for an existing node group
  (capacity-blocks-configure-cng).
- EKS scales the node group of a Capacity Block to 0 before the reservation ends, and accepts another launch
  template only while the group has 0 nodes (capacity-blocks-mng). One deployment therefore sets `count` to 0,
  and the next one sets the old value after the new Capacity Block has started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from config.design.capacity.purchase import purchase_of
from config.diagnostics import HintedError
from config.profile.capacity.groups import AnyNext, Group
from config.profile.model import Profile

_GUIDE = "https://docs.aws.amazon.com"
_HYPERPOD = f"{_GUIDE}/sagemaker/latest/dg/use-training-plan-for-hyperpod-update-using-api-cli-sdk.html"
_PCS = f"{_GUIDE}/pcs/latest/userguide/capacity-blocks-configure-cng.html"
_EKS = f"{_GUIDE}/eks/latest/userguide/capacity-blocks-mng.html"
_EKS_UPDATE = f"{_GUIDE}/eks/latest/userguide/managed-node-update-behavior.html"
_PCS_UPDATE = f"{_GUIDE}/pcs/latest/userguide/working-with_cng_update.html"

Action = Literal["drain", "deploy", "wait", "release"]


class RotationError(HintedError, ValueError):
    """The profile has no group that can be rotated, or several; `hint` has the fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of a rotation: `when` to do it, `what` to do, and `why`, with the `source`.

    If the step is a deployment, `groups` lists all groups of the profile to deploy, `name` is part of that
    profile's file name, and `edit` lists the keys of the rotated group that change.
    """

    action: Action
    when: str
    what: str
    why: str
    source: str = ""
    name: str = ""
    groups: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    edit: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """The rotation of a group from the reservation `before` to the reservation `after`."""

    group: str
    place: str
    before: str
    after: str
    steps: tuple[Step, ...]


def plan_rotation(profile: Profile, group_name: str | None = None) -> Rotation:
    """Return the rotation of the named group; without a name, of the only group with `next`.

    Raises RotationError if no group or several groups match.
    """
    declared = profile.compute.groups if profile.compute else ()
    able = [(i, group) for i, group in enumerate(declared) if group.capacity.next is not None]
    if group_name is not None and group_name not in {group.name for group in declared}:
        raise RotationError(
            f"there is no group {group_name}", f"the groups are {', '.join(group.name for group in declared)}"
        )
    chosen = [one for one in able if group_name in (None, one[1].name)]
    if not chosen:
        who = (
            f"group {group_name} has no next reservation" if group_name else "no group has a next reservation"
        )
        raise RotationError(
            who,
            "add the next reservation to the group's `capacity`: `next: {reservation_id: cr-..., start: ..., "
            "end: ...}`",
        )
    if len(chosen) > 1:
        names = ", ".join(group.name for _, group in chosen)
        raise RotationError(f"several groups have a next reservation: {names}", "select one with --group")
    index, group = chosen[0]
    following = group.capacity.next
    assert following is not None  # `able` has only groups with `next`
    return Rotation(
        group=group.name,
        place=f"compute.groups[{index}]",
        before=str(group.capacity.reservation),
        after=following.name,
        steps=tuple(_steps(profile, index, group, following)),
    )


def _steps(profile: Profile, index: int, group: Group, following: AnyNext) -> Iterator[Step]:
    kind = profile.orchestrator.kind if profile.orchestrator else ""
    new = _capacity(group, following)
    stop = _stop(group, kind)
    yield Step(
        action="drain",
        when=f"before {stop}" if stop else f"before {following.name} takes over",
        what=f"stop new jobs on group {group.name}, and wait until running jobs have saved and ended",
        why="a job that still runs when its nodes are terminated loses all work since its last checkpoint",
    )
    when = f"after {stop}" if stop else "after the instances of the old reservation are terminated"
    if not group.capacity.paid_in_advance:
        yield _of_odcr(profile, index, group, new, kind)
    elif kind == "eks":
        yield from _of_eks(profile, index, group, following, new, when)
    else:
        hyperpod = kind != "pcs"
        yield _deployment(
            profile, index, {"capacity": new}, "next",
            when=f"{when}, when {following.name} is scheduled or active",
            what=f"deploy group {group.name} with the next reservation",
            why="HyperPod updates the training plan of an existing group"
            if hyperpod
            else "PCS updates the Capacity Block of an existing node group",
            source=_HYPERPOD if hyperpod else _PCS,
        )  # fmt: skip
        yield _arrival(following)
    yield Step(
        action="release",
        when="when the nodes are ready",
        what=f"allow new jobs on group {group.name} again",
        why="waiting jobs then start automatically",
    )


def _of_odcr(profile: Profile, index: int, group: Group, new: Mapping[str, Any], kind: str) -> Step:
    eks = kind == "eks"
    return _deployment(
        profile, index, {"capacity": new}, "next",
        when="while both reservations are active, or after the old reservation has ended",
        what=f"deploy group {group.name} with the next reservation",
        why="EKS replaces a few nodes at a time" if eks else "PCS replaces each node when it is idle",
        source=_EKS_UPDATE if eks else _PCS_UPDATE,
    )  # fmt: skip


def _of_eks(
    profile: Profile, index: int, group: Group, following: AnyNext, new: Mapping[str, Any], when: str
) -> Iterator[Step]:
    yield _deployment(
        profile, index, {"count": 0, "capacity": new}, "empty",
        when=when,
        what=f"deploy group {group.name} with the next reservation and `count: 0`",
        why="EKS has scaled the group to 0 and does not scale it up again; the launch template can change "
        "only while the group has no nodes",
        source=_EKS,
    )  # fmt: skip
    yield _arrival(following)
    yield _deployment(
        profile, index, {"capacity": new}, "next",
        when=f"when {following.name} is active",
        what=f"deploy group {group.name} with {group.count} nodes again",
        why="instances of a Capacity Block launch only after its start",
        source=_EKS,
    )  # fmt: skip


def _arrival(following: AnyNext) -> Step:
    return Step(
        action="wait",
        when=f"until {following.start}" if following.start else f"until {following.name} is active",
        what="wait for the start of the next reservation",
        why="the instances of the next reservation are not available earlier",
    )


def _stop(group: Group, kind: str) -> str | None:
    """Return the time when AWS starts to stop the instances; None if the profile has no `end`."""
    window = purchase_of(group.capacity).window(kind)
    if window is None or window.end is None:
        return None
    minutes = max((step.minutes_before for step in window.last_steps), default=0)
    return (window.end - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%MZ")


def _capacity(group: Group, following: AnyNext) -> dict[str, Any]:
    """Return the group's `capacity` for the next reservation, without the old dates and the old size."""
    declared = group.capacity.model_dump(mode="json", by_alias=True, exclude_unset=True)
    new = following.model_dump(mode="json", by_alias=True, exclude_unset=True)
    dropped = {"next", "start", "end", "instances"}
    kept = {key: value for key, value in declared.items() if key not in dropped}
    return {**kept, **new}


def _deployment(
    profile: Profile, index: int, edit: Mapping[str, Any], name: str, *,
    when: str, what: str, why: str, source: str,
) -> Step:  # fmt: skip
    declared = profile.compute.groups if profile.compute else ()
    groups = [group.model_dump(mode="json", by_alias=True, exclude_unset=True) for group in declared]
    groups[index] = {**groups[index], **edit}
    return Step(
        action="deploy", when=when, what=what, why=why, source=source, name=name,
        groups=tuple(groups), edit=edit,
    )  # fmt: skip
