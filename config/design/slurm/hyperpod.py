"""The control plane that follows from a profile."""

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

TAKEN_PARTITIONS = ("dev", "default")
"""Names that no group's partition can have: every node is in `dev`, and Slurm reads DEFAULT as defaults
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html)."""

_STRATEGY = "merge"
"""Scripts write Prolog and Epilog into slurm.conf, and what they wrote outlives them on the controller; under
Managed an update fails where that file differs from what HyperPod expects
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodSlurmPlan:
    """A HyperPod cluster with Slurm. Its groups are those of the design.

    `slurm_config_strategy` is None under continuous provisioning, which takes none. `scripts` are those of
    ultracluster: None where none of them runs, because nodes stay as HyperPod sets them up, or because
    scripts of the user's own bucket (`customer`) take their place.
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
    """The HyperPod cluster of a profile; None when it has another control plane or no network to stand in."""
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
    """What a cluster keeps for life: the VPC configuration, and how it provisions nodes.

    A change needs another name, since the new cluster is made before the old one goes. Clusters cannot be
    moved to continuous provisioning
    (https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-scaling-slurm.html).
    """
    network_facts = [network.existing_vpc_id, network.vpc_cidr, network.primary.cidr, network.primary.zone]
    return [*network_facts, "continuous"] if continuous else network_facts


def controller_fault(controllers: int) -> str | None:
    """What HyperPod refuses of the number of controller groups (sagemaker-hyperpod-ref.html)."""
    return None if controllers == 1 else f"{controllers} controller groups, there must be exactly 1"


def login_fault(logins: int) -> str | None:
    """What HyperPod refuses of the number of login groups (sagemaker-hyperpod-ref.html)."""
    return None if logins <= 1 else f"{logins} login groups, 1 is the most"
