"""The HyperPod cluster that gives a Kubernetes control plane its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.capacity.groups import GroupPlan
from config.design.kinds import eks_of
from config.design.kubernetes.plan import EksPlan
from config.design.names import replaceable_name
from config.design.network.plan import NetworkPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.nodes.storage import NodeStorage
from config.profile.kubernetes.hyperpod_addons import InferenceOperator
from config.profile.kubernetes.task_governance import TaskGovernance, Team
from config.profile.model import Profile
from config.profile.slurm.hyperpod import CustomerManaged


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodEksPlan:
    """A HyperPod cluster with Kubernetes. Its groups are those of the design.

    `scripts` are those of ultracluster: None where nodes stay as HyperPod sets them up, or where scripts of
    the user's own bucket (`customer`) take their place. `autoscaled` are groups whose count is Karpenter's.
    `labels` are those of each group's nodes, by its name.
    """

    cluster_name: str
    continuous: bool
    node_recovery: str
    scripts: NodeScriptsPlan | None
    customer: CustomerManaged | None
    storage: NodeStorage
    autoscaled: tuple[str, ...]
    tiered_memory_percent: int | None
    governance: TaskGovernance | None
    inference: InferenceOperator | None
    labels: Mapping[str, Mapping[str, str]] = field(hash=False)

    @property
    def teams(self) -> tuple[Team, ...]:
        """The teams that have quotas, by name."""
        teams = self.governance.teams if self.governance else ()
        return tuple(sorted(teams, key=lambda team: team.name))


def plan_hyperpod_eks(
    profile: Profile,
    network: NetworkPlan | None,
    groups: tuple[GroupPlan, ...],
    storage: NodeStorage,
    eks: EksPlan | None,
    scripts: NodeScriptsPlan | None,
) -> HyperPodEksPlan | None:
    """The HyperPod cluster of a profile; None when it has another control plane or no network to stand in."""
    stated = eks_of(profile)
    if stated is None or network is None or eks is None:
        return None
    return HyperPodEksPlan(
        cluster_name=replaceable_name(profile.name, _create_only(network, eks.cluster_name)),
        continuous=stated.provisioning == "continuous",
        node_recovery=stated.node_recovery,
        scripts=scripts,
        customer=stated.lifecycle if isinstance(stated.lifecycle, CustomerManaged) else None,
        storage=storage,
        autoscaled=tuple(sorted(set(stated.autoscaling.groups))) if stated.autoscaling else (),
        tiered_memory_percent=stated.tiered_checkpointing.memory_percent
        if stated.tiered_checkpointing
        else None,
        governance=stated.task_governance,
        inference=stated.inference_operator,
        labels={group.name: eks.needs[group.name].labels for group in groups},
    )


def _create_only(network: NetworkPlan, control_plane_name: str) -> list[str | None]:
    """What a cluster keeps for life: the VPC configuration and the EKS cluster (AWS::SageMaker::Cluster).

    A change needs another name, since the new cluster is made before the old one goes.
    """
    primary = network.primary
    return [network.existing_vpc_id, network.vpc_cidr, primary.cidr, primary.zone, control_plane_name]
