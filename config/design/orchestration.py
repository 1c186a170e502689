"""The control plane that follows from a profile."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.names import replaceable_name
from config.design.network import NetworkPlan
from config.design.node_scripts import NodeScriptsPlan, plan_node_scripts
from config.design.storage import LustrePlan
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm

TAKEN_PARTITIONS = ("dev", "default")
"""Names that no group's partition can have: every node is in `dev`, and Slurm reads DEFAULT as defaults
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodSlurmPlan:
    """A HyperPod cluster with Slurm. Its groups are those of the design."""

    cluster_name: str
    slurm_config_strategy: str
    node_recovery: str
    scripts: NodeScriptsPlan


def plan_hyperpod_slurm(
    profile: Profile, network: NetworkPlan | None, lustre: LustrePlan | None
) -> HyperPodSlurmPlan | None:
    """The HyperPod cluster of a profile; None when it has another control plane or no network to stand in."""
    if not isinstance(profile.orchestrator, HyperPodSlurm) or network is None:
        return None
    nvme = profile.storage.local_nvme if profile.storage else None
    # the VPC configuration of a cluster is create-only, so a change of it needs another name
    create_only = [network.existing_vpc_id, network.vpc_cidr, network.primary.cidr, network.primary.zone]
    return HyperPodSlurmPlan(
        cluster_name=replaceable_name(profile.name, create_only),
        slurm_config_strategy=profile.orchestrator.slurm_config_strategy,
        node_recovery=profile.orchestrator.node_recovery,
        scripts=plan_node_scripts(lustre, nvme.raid if nvme else None),
    )


def controller_fault(controllers: int) -> str | None:
    """What HyperPod refuses of the number of controller groups (sagemaker-hyperpod-ref.html)."""
    return None if controllers == 1 else f"{controllers} controller groups, there must be exactly 1"


def login_fault(logins: int) -> str | None:
    """What HyperPod refuses of the number of login groups (sagemaker-hyperpod-ref.html)."""
    return None if logins <= 1 else f"{logins} login groups, 1 is the most"
