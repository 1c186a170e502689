"""The database of Slurm's accounting that follows from a profile."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.network.plan import NetworkPlan
from config.design.zones import is_local_zone
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import ExistingAccounting, NewAccounting

ZONES = 2
"""RDS asks for subnets in as many zones
(https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html)."""

MYSQL_PORT = 3306

SHARED_NAMES = ("slurm_acct_db",)
"""Slurm's own default (StorageLoc, https://slurm.schedmd.com/slurmdbd.conf.html): every cluster without
a name takes it."""

_LONGEST = 64  # API_ClusterAccountingDatabase


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingPlan:
    """Where Slurm's accounting is kept.

    `database` belongs to one cluster: two that share it tell slurmctld another cluster's id, and it does not
    start (HYPERPOD-13). `subnets` are names of the network plan, one in each zone; none where the database
    exists already.
    """

    database: str
    port: int
    subnets: tuple[str, ...]
    new: NewAccounting | None
    existing: ExistingAccounting | None

    @property
    def instances(self) -> int:
        """Database instances that are made."""
        return 0 if self.new is None else 1 + int(self.new.standby)


def plan_accounting(profile: Profile, network: NetworkPlan, cluster_name: str) -> AccountingPlan | None:
    """The database of a profile; None where the controller keeps it."""
    stated = profile.orchestrator.accounting if isinstance(profile.orchestrator, HyperPodSlurm) else None
    if stated is None:
        return None
    own_name = f"slurm_acct_db_{cluster_name.replace('-', '_')}"[:_LONGEST]
    if isinstance(stated, ExistingAccounting):
        return AccountingPlan(
            database=stated.database or own_name, port=stated.port, subnets=(), new=None, existing=stated
        )
    return AccountingPlan(
        database=own_name, port=MYSQL_PORT, subnets=database_subnets(network), new=stated, existing=None
    )


def database_subnets(network: NetworkPlan) -> tuple[str, ...]:
    """One private subnet in each zone of the Region itself: a Local Zone has no Aurora."""
    by_zone = {
        subnet.zone: subnet.name
        for subnet in reversed(network.private_subnets)
        if not is_local_zone(subnet.zone)
    }
    return tuple(sorted(by_zone.values()))
