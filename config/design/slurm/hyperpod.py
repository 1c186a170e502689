"""Plan of a HyperPod cluster with Slurm."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.names import replaceable_name
from config.design.network.plan import NetworkPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.nodes.storage import NodeStorage
from config.design.slurm.accounting import AccountingPlan, plan_accounting
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import CustomerManaged

RESERVED_PARTITIONS = ("dev", "default")
"""Names that a partition cannot have: `dev` contains all nodes, and DEFAULT sets defaults in Slurm
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html)."""

_STRATEGY = "merge"
"""With `merge`, HyperPod keeps the lines Prolog and Epilog that the scripts write into slurm.conf on the
controller. With `managed`, an update fails if slurm.conf differs from HyperPod's version
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodSlurmPlan:
    """A HyperPod cluster with Slurm; its groups are the groups of the design.

    `slurm_config_strategy` is None with continuous provisioning, which does not accept a strategy. `scripts`
    are ultracluster's scripts. It is None if the nodes run only HyperPod's setup, or run the user's scripts
    instead (`customer`).
    """

    cluster_name: str
    continuous: bool
    slurm_config_strategy: str | None
    node_recovery: str
    scripts: NodeScriptsPlan | None
    customer: CustomerManaged | None
    storage: NodeStorage
    accounting: AccountingPlan | None


def plan_hyperpod_slurm(
    profile: Profile,
    network: NetworkPlan | None,
    storage: NodeStorage,
    scripts: NodeScriptsPlan | None,
) -> HyperPodSlurmPlan | None:
    """Return the HyperPod cluster of a profile, None if it has another control plane or no network."""
    orchestrator = profile.orchestrator
    if not isinstance(orchestrator, HyperPodSlurm) or network is None:
        return None
    continuous = orchestrator.provisioning == "continuous"
    lifecycle = orchestrator.lifecycle
    name = replaceable_name(profile.name, _create_only(network, continuous=continuous))
    return HyperPodSlurmPlan(
        cluster_name=name,
        continuous=continuous,
        slurm_config_strategy=None if continuous else orchestrator.slurm_config_strategy or _STRATEGY,
        node_recovery=orchestrator.node_recovery,
        scripts=scripts,
        customer=lifecycle if isinstance(lifecycle, CustomerManaged) else None,
        storage=storage,
        accounting=plan_accounting(profile, network, name),
    )


def _create_only(network: NetworkPlan, *, continuous: bool) -> list[str | None]:
    """Return the create-only properties of a cluster: its VPC configuration and its provisioning mode.

    A change requires another name, because CloudFormation creates the new cluster before it deletes the old
    one. HyperPod cannot change an existing cluster to continuous provisioning
    (https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-scaling-slurm.html).
    """
    network_facts = [network.existing_vpc_id, network.vpc_cidr, network.primary.cidr, network.primary.zone]
    return [*network_facts, "continuous"] if continuous else network_facts


def controller_fault(controllers: int) -> str | None:
    """Return why HyperPod rejects the controller groups; None if one group (sagemaker-hyperpod-ref.html)."""
    return None if controllers == 1 else f"{controllers} controller groups, but exactly 1 is required"


def login_fault(logins: int) -> str | None:
    """Return why HyperPod rejects the login groups; None for at most one (sagemaker-hyperpod-ref.html)."""
    return None if logins <= 1 else f"{logins} login groups, but at most 1 is allowed"
