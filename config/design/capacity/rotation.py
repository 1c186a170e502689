"""What is done when one reservation ends and the next one begins: the deployments between them, in order.

The group keeps its name, its subnet and its place in the stack: what changes is where its machines come from.

- HyperPod takes another training plan for a group that it has, from the day that the plan is scheduled
  (use-training-plan-for-hyperpod-update-using-api-cli-sdk).
- PCS takes another block for a node group that it has, scheduled or active (capacity-blocks-configure-cng).
- EKS scales the node group of a block to 0 before the block ends, and a group whose launch template changes
  has to be at 0 (capacity-blocks-mng): so its count is 0 in one deployment, and what it was in the next, when
  the block has begun.
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
    """Nothing can be rotated; the message says why, and `hint` what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: `when` it can be done, `what` it does and `why`, with the source of that.

    `groups` are those of the profile that a deployment has, as the profile writes them, and `name` what its
    file is called after; `edit` is what changes of the group, by key.
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
    """One group from one reservation to the next."""

    group: str
    place: str
    before: str
    after: str
    steps: tuple[Step, ...]


def plan_rotation(profile: Profile, group_name: str | None = None) -> Rotation:
    """The steps for a group (default: the only one with a next reservation); RotationError without one."""
    stated = profile.compute.groups if profile.compute else ()
    able = [(i, group) for i, group in enumerate(stated) if group.capacity.next is not None]
    if group_name is not None and group_name not in {group.name for group in stated}:
        raise RotationError(
            f"there is no group {group_name}", f"the groups are {', '.join(group.name for group in stated)}"
        )
    chosen = [one for one in able if group_name in (None, one[1].name)]
    if not chosen:
        who = (
            f"group {group_name} has no next reservation" if group_name else "no group has a next reservation"
        )
        raise RotationError(
            who, "state it in the group's capacity: `next: {reservation_id: cr-..., start: ..., end: ...}`"
        )
    if len(chosen) > 1:
        names = ", ".join(group.name for _, group in chosen)
        raise RotationError(f"several groups have a next reservation: {names}", "name one with --group")
    index, group = chosen[0]
    following = group.capacity.next
    assert following is not None  # those of `able` have one
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
        what=f"let no new job start on group {group.name}, and let those that run save and end",
        why="what runs when the machines go is lost since its last checkpoint",
    )
    gone = f"from {stop} on" if stop else "once the machines of the old reservation are gone"
    if not group.capacity.paid_in_advance:
        yield _of_odcr(profile, index, group, new, kind)
    elif kind == "eks":
        yield from _of_eks(profile, index, group, following, new, gone)
    else:
        hyperpod = kind != "pcs"
        yield _deployment(
            profile, index, {"capacity": new}, "next",
            when=f"{gone}, when {following.name} is scheduled or active",
            what=f"deploy group {group.name} with the next reservation",
            why="HyperPod gives the group the machines of another plan in place"
            if hyperpod
            else "PCS launches the group's nodes from another block in place",
            source=_HYPERPOD if hyperpod else _PCS,
        )  # fmt: skip
        yield _arrival(following)
    yield Step(
        action="release",
        when="when the nodes are there",
        what=f"let jobs start on group {group.name} again",
        why="jobs that wait go on by themselves",
    )


def _of_odcr(profile: Profile, index: int, group: Group, new: Mapping[str, Any], kind: str) -> Step:
    eks = kind == "eks"
    return _deployment(
        profile, index, {"capacity": new}, "next",
        when="while both reservations are active, or once the old one is gone",
        what=f"deploy group {group.name} with the next reservation",
        why="nodes are replaced, some at a time" if eks else "each node is replaced when its jobs have ended",
        source=_EKS_UPDATE if eks else _PCS_UPDATE,
    )  # fmt: skip


def _of_eks(
    profile: Profile, index: int, group: Group, following: AnyNext, new: Mapping[str, Any], gone: str
) -> Iterator[Step]:
    yield _deployment(
        profile, index, {"count": 0, "capacity": new}, "empty",
        when=gone,
        what=f"deploy group {group.name} with the next reservation and no nodes",
        why="EKS has scaled the group to 0 by itself and leaves it there, and a launch template changes only "
        "while no node runs",
        source=_EKS,
    )  # fmt: skip
    yield _arrival(following)
    yield _deployment(
        profile, index, {"capacity": new}, "next",
        when=f"when {following.name} is active",
        what=f"deploy group {group.name} with its {group.count} nodes again",
        why="before its start a block launches nothing",
        source=_EKS,
    )  # fmt: skip


def _arrival(following: AnyNext) -> Step:
    return Step(
        action="wait",
        when=f"until {following.start}" if following.start else f"until {following.name} is active",
        what="wait for the start of the next reservation",
        why="its machines are there from then on, not before",
    )


def _stop(group: Group, kind: str) -> str | None:
    """When the first thing happens to the machines by itself, where the profile says when they end."""
    window = purchase_of(group.capacity).window(kind)
    if window is None or window.end is None:
        return None
    minutes = max((step.minutes_before for step in window.last_steps), default=0)
    return (window.end - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%MZ")


def _capacity(group: Group, following: AnyNext) -> dict[str, Any]:
    """The capacity of the group once the next reservation is its own; figures of the old one are not kept."""
    stated = group.capacity.model_dump(mode="json", by_alias=True, exclude_unset=True)
    new = following.model_dump(mode="json", by_alias=True, exclude_unset=True)
    dropped = {"next", "start", "end", "instances"}
    kept = {key: value for key, value in stated.items() if key not in dropped}
    return {**kept, **new}


def _deployment(
    profile: Profile, index: int, edit: Mapping[str, Any], name: str, *,
    when: str, what: str, why: str, source: str,
) -> Step:  # fmt: skip
    stated = profile.compute.groups if profile.compute else ()
    groups = [group.model_dump(mode="json", by_alias=True, exclude_unset=True) for group in stated]
    groups[index] = {**groups[index], **edit}
    return Step(
        action="deploy", when=when, what=what, why=why, source=source, name=name,
        groups=tuple(groups), edit=edit,
    )  # fmt: skip
