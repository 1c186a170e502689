"""Plan of the Slurm accounting database."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.network.plan import NetworkPlan
from config.design.zones import is_local_zone
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import ExistingAccounting, NewAccounting

ZONES = 2
"""Availability Zones that a DB subnet group of RDS requires
(https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html)."""

MYSQL_PORT = 3306

DEFAULT_NAMES = ("slurm_acct_db",)
"""Slurm's default database name (StorageLoc, https://slurm.schedmd.com/slurmdbd.conf.html), which each
cluster without a configured name uses."""

_LONGEST = 64  # API_ClusterAccountingDatabase


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingPlan:
    """The Slurm accounting database of a cluster.

    `database` belongs to one cluster. If a second cluster uses the same database, its slurmctld reads the
    first cluster's id and does not start (HYPERPOD-13). `subnets` lists names of subnets in the network plan,
    one for each zone; empty for an existing database.
    """

    database: str
    port: int
    subnets: tuple[str, ...]
    new: NewAccounting | None
    existing: ExistingAccounting | None

    @property
    def instances(self) -> int:
        """Number of new database instances."""
        return 0 if self.new is None else 1 + int(self.new.standby)


def plan_accounting(profile: Profile, network: NetworkPlan, cluster_name: str) -> AccountingPlan | None:
    """Return the database of a profile, None if the controller stores the accounting."""
    declared = profile.orchestrator.accounting if isinstance(profile.orchestrator, HyperPodSlurm) else None
    if declared is None:
        return None
    own_name = f"slurm_acct_db_{cluster_name.replace('-', '_')}"[:_LONGEST]
    if isinstance(declared, ExistingAccounting):
        return AccountingPlan(
            database=declared.database or own_name,
            port=declared.port,
            subnets=(),
            new=None,
            existing=declared,
        )
    return AccountingPlan(
        database=own_name, port=MYSQL_PORT, subnets=database_subnets(network), new=declared, existing=None
    )


def database_subnets(network: NetworkPlan) -> tuple[str, ...]:
    """Return one private subnet in each zone of the Region; Local Zones do not have Aurora."""
    by_zone = {
        subnet.zone: subnet.name
        for subnet in reversed(network.private_subnets)
        if not is_local_zone(subnet.zone)
    }
    return tuple(sorted(by_zone.values()))
