"""Slurm accounting database: construct props from the plan."""

from __future__ import annotations

from dataclasses import dataclass

from constructs import Construct, IDependable

from config.design.slurm.accounting import AccountingPlan
from config.profile.model import Profile
from config.profile.slurm.hyperpod import ExistingAccounting, NewAccounting
from stacks.common import retention_of, tags_of
from stacks.foundation import NodeNetwork
from ultracluster.security_rules import add_peer_rules, mysql_traffic
from ultracluster.slurm import AccountingDatabase, AccountingDatabaseCluster, AccountingDatabaseClusterProps


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """The accounting database, its secret's KMS key, and resources that must exist before the cluster."""

    database: AccountingDatabase
    secret_key_arn: str | None
    ready: tuple[IDependable, ...]


def add_accounting(
    scope: Construct, profile: Profile, plan: AccountingPlan | None, node_network: NodeNetwork
) -> Accounting | None:
    """Return the accounting database; create it, or add the access rules for an existing one."""
    if plan is None:
        return None
    if plan.existing:
        return _existing(scope, profile, plan, plan.existing, node_network)
    assert plan.new is not None
    props = accounting_props(profile, plan, plan.new, node_network)
    made = AccountingDatabaseCluster(scope, "Accounting", props)
    database = AccountingDatabase(
        endpoint=made.endpoint, port=made.port, name=plan.database, secret_arn=made.secret_arn
    )
    return Accounting(database=database, secret_key_arn=plan.new.key_arn, ready=made.ready)


def accounting_props(
    profile: Profile, plan: AccountingPlan, new: NewAccounting, node_network: NodeNetwork
) -> AccountingDatabaseClusterProps:
    """Return the props of a new database."""
    return AccountingDatabaseClusterProps(
        name=f"{profile.name}-accounting",
        vpc_id=node_network.vpc_id,
        subnet_ids=[node_network.subnet_ids[name] for name in plan.subnets],
        client_security_group_id=node_network.node_security_group_id,
        client_rules=node_network.security_group_rules,
        engine_version=new.engine_version,
        min_acu=new.min_acu,
        max_acu=new.max_acu,
        instances=plan.instances,
        backup_retention_days=new.backup_retention_days,
        kms_key_arn=new.key_arn,
        retention=retention_of(profile),
        tags=tags_of(profile),
    )


def _existing(
    scope: Construct,
    profile: Profile,
    plan: AccountingPlan,
    existing: ExistingAccounting,
    node_network: NodeNetwork,
) -> Accounting:
    """Return an existing database; add rules to its and the nodes' security groups if its group is known."""
    rules: tuple[IDependable, ...] = ()
    if existing.security_group_id is not None:
        access, traffic = Construct(scope, "AccountingAccess"), mysql_traffic(plan.port)
        nodes, group, retention = (
            node_network.node_security_group_id, existing.security_group_id, retention_of(profile),
        )  # fmt: skip
        rules = (
            *add_peer_rules(
                access, nodes, group, traffic, prefix="Client", retention=retention, directions=["Egress"]
            ),
            *add_peer_rules(
                access, group, nodes, traffic, prefix="Database", retention=retention, directions=["Ingress"]
            ),
        )
    database = AccountingDatabase(
        endpoint=existing.endpoint, port=plan.port, name=plan.database, secret_arn=existing.secret_arn
    )
    return Accounting(database=database, secret_key_arn=existing.secret_key_arn, ready=rules)
