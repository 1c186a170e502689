"""The HyperPod cluster that provides the nodes of a Kubernetes control plane."""

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
    """A HyperPod cluster with an EKS control plane; its groups are those of the design.

    `scripts` are ultracluster's lifecycle scripts; None if the profile does not change HyperPod's setup, or
    uses its own lifecycle scripts (`customer`). `autoscaled` are groups whose count Karpenter sets. `labels`
    are the node labels of each group, by its name.
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
        """Return the teams that have quotas, by name."""
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
    """Return the HyperPod cluster of a profile; None with another control plane or without a network."""
    hyperpod = eks_of(profile)
    if hyperpod is None or network is None or eks is None:
        return None
    return HyperPodEksPlan(
        cluster_name=replaceable_name(profile.name, _create_only(network, eks.cluster_name)),
        continuous=hyperpod.provisioning == "continuous",
        node_recovery=hyperpod.node_recovery,
        scripts=scripts,
        customer=hyperpod.lifecycle if isinstance(hyperpod.lifecycle, CustomerManaged) else None,
        storage=storage,
        autoscaled=tuple(sorted(set(hyperpod.autoscaling.groups))) if hyperpod.autoscaling else (),
        tiered_memory_percent=hyperpod.tiered_checkpointing.memory_percent
        if hyperpod.tiered_checkpointing
        else None,
        governance=hyperpod.task_governance,
        inference=hyperpod.inference_operator,
        labels={group.name: eks.needs[group.name].labels for group in groups},
    )


def _create_only(network: NetworkPlan, control_plane_name: str) -> list[str | None]:
    """Return the create-only properties: the VPC configuration and the EKS cluster (AWS::SageMaker::Cluster).

    A change of these properties needs another cluster name, because the new cluster is created before the old
    one is deleted.
    """
    primary = network.primary
    return [network.existing_vpc_id, network.vpc_cidr, primary.cidr, primary.zone, control_plane_name]
