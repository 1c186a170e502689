"""Shares of each team in each group, and the capacity outside all shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from config.design.kubernetes.scheduler.amounts import Amounts, less, part_of, times, total
from config.design.kubernetes.scheduler.nodes import Machines
from config.profile.kubernetes.scheduler import Scheduling, Share, Team

EVERYBODY = Team(name="training")
"""Name of the only team if the profile sets none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A team's share of one group; `borrow` and `lend` are None without a limit."""

    machines: Machines
    own: Amounts = field(hash=False)
    borrow: Amounts | None = field(hash=False, default=None)
    lend: Amounts | None = field(hash=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamPlan:
    """A team with its namespace and its quota of each group, in the order of the groups."""

    name: str
    namespace: str
    weight: int
    quotas: tuple[Quota, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """All teams by name, and the capacity outside all shares, in the order of the groups.

    For each resource, the shares and `rest` add up to the total capacity. `declared` is False if the profile
    does not set teams; one team then has the whole capacity.
    """

    machines: tuple[Machines, ...]
    teams: tuple[TeamPlan, ...]
    rest: tuple[Amounts, ...] = field(hash=False)
    declared: bool


def teams_of(scheduling: Scheduling) -> tuple[Team, ...]:
    """Return the teams by name; one team for all users if the profile sets none."""
    return tuple(sorted(scheduling.teams, key=lambda team: team.name)) or (EVERYBODY,)


def namespaces_of(scheduling: Scheduling) -> tuple[str, ...]:
    """Return the namespaces that jobs run in."""
    return tuple(sorted({team.namespace or team.name for team in teams_of(scheduling)}))


def plan_shares(machines: tuple[Machines, ...], scheduling: Scheduling) -> Shares:
    """Divide the capacity among the teams; invalid shares are omitted (a rule reports them)."""
    declared = bool(scheduling.teams)
    teams = tuple(
        TeamPlan(
            name=team.name,
            namespace=team.namespace or team.name,
            weight=team.weight,
            quotas=tuple(_quota(one, team, machines) if declared else _whole(one) for one in machines),
        )
        for team in teams_of(scheduling)
    )
    taken = [
        total(quota.own for team in teams for quota in team.quotas if quota.machines is one)
        for one in machines
    ]
    rest = tuple(less(one.everything, used) for one, used in zip(machines, taken, strict=True))
    return Shares(machines=machines, teams=teams, rest=rest, declared=declared)


def _whole(machines: Machines) -> Quota:
    return Quota(machines=machines, own=machines.everything)


def _quota(machines: Machines, team: Team, all_machines: Sequence[Machines]) -> Quota:
    share = next(shares_in(machines, team, all_machines), None)
    if share is None:
        return Quota(machines=machines, own=times(machines.node, 0))
    own = _amount(machines, share, share.nodes if share.gpus is None else share.gpus)
    return Quota(
        machines=machines,
        own=own,
        borrow=None if share.borrow is None else _amount(machines, share, share.borrow),
        lend=None if share.lend is None else _amount(machines, share, share.lend),
    )


def shares_in(machines: Machines, team: Team, all_machines: Sequence[Machines]) -> Iterator[Share]:
    """Return a team's shares of a group; a share may omit the group if there is only one compute group."""
    only = len(all_machines) == 1
    return (share for share in team.shares if share.group == machines.name or (share.group is None and only))


def _amount(machines: Machines, share: Share, number: int | None) -> dict[str, int]:
    if share.gpus is None or not machines.gpus:
        return times(machines.node, number or 0)
    return part_of(machines.node, number or 0)
