"""The slow steps of Slurm clusters: SageMaker HyperPod with its accounting, and AWS PCS."""

from __future__ import annotations

from collections.abc import Collection

from config.design.capacity.groups import GroupPlan
from config.design.deployment.network import NetworkSteps
from config.design.deployment.steps import Steps
from config.design.deployment.storage import StorageSteps
from config.design.nodes.storage import NodeStorage
from config.design.slurm.hyperpod import HyperPodSlurmPlan
from config.design.slurm.pcs import PcsPlan
from config.design.storage.lustre import MAIN
from config.design.zones import PRIMARY

HYPERPOD = "AWS::SageMaker::Cluster"


def booting(
    network: NetworkSteps,
    storage: StorageSteps,
    read: Collection[str] = (),
    shared: NodeStorage | None = None,
) -> tuple[str, ...]:
    """Return the steps that nodes wait for: routes, rules, exporting DRAs, and file systems.

    `read` are the parameters that the node scripts read. A file system in `shared` is included if one of
    these parameters contains its name.
    """
    mounted = [*_mounted(storage, read, shared)] if shared else []
    return (*network.nodes_ready, *network.rules, *storage.rules, *storage.exports, *mounted)


def _mounted(storage: StorageSteps, read: Collection[str], shared: NodeStorage) -> Collection[str]:
    found = [
        storage.file_systems[system.name]
        for system in shared.file_systems
        if system.name in storage.file_systems
        and {system.dns_name_parameter, system.mount_name_parameter} & set(read)
    ]
    home = shared.home
    if home and storage.home and home.dns_name_parameter in read:
        found.append(storage.home)
    return found


def hyperpod_steps(
    groups: tuple[GroupPlan, ...],
    plan: HyperPodSlurmPlan,
    steps: Steps,
    network: NetworkSteps,
    storage: StorageSteps,
) -> None:
    """Add HyperPod with Slurm, after its accounting database and the file systems that its nodes mount."""
    # HyperPod mounts the main file system and home on every node
    main = storage.file_systems.get(MAIN)
    subnets = network.subnet(PRIMARY, *(group.subnet for group in groups))
    after = [*booting(network, storage, plan.scripts.parameters if plan.scripts else (), plan.storage)]
    after += [*subnets, *((main,) if main else ()), *((storage.home,) if storage.home else ())]
    after += _accounting(plan, steps, network)
    steps.add("hyperpod", HYPERPOD, "HyperPod cluster", after)


def _accounting(plan: HyperPodSlurmPlan, steps: Steps, network: NetworkSteps) -> list[str]:
    if plan.accounting is None or plan.accounting.new is None:
        return []
    # no source reports a slow database cluster, only slow instances
    cluster = steps.add(
        "accounting", "AWS::RDS::DBCluster", "accounting database",
        (*network.rules, *network.subnet(*plan.accounting.subnets)),
    )  # fmt: skip
    return [
        steps.add(
            f"accounting {number}", "AWS::RDS::DBInstance", f"accounting database instance {number}",
            (cluster,),
        )
        for number in range(1, plan.accounting.instances + 1)
    ]  # fmt: skip


def pcs_steps(plan: PcsPlan, steps: Steps, network: NetworkSteps, storage: StorageSteps) -> None:
    """Add the steps of PCS: first the controller in parallel with the file systems, then the nodes."""
    place = network.subnet(PRIMARY)
    cluster = steps.add("pcs", "AWS::PCS::Cluster", "PCS cluster", (*place, *network.rules))
    profile = steps.add("node profile", "AWS::IAM::InstanceProfile", "instance profile for nodes", ())
    boot = booting(network, storage, plan.scripts.parameters, plan.storage)
    groups = {
        one.group.name: steps.add(
            f"group {one.group.name}", "AWS::PCS::ComputeNodeGroup", f"node group {one.group.name}",
            (cluster, profile, *network.subnet(one.group.subnet), *boot),
        )
        for one in plan.groups
    }  # fmt: skip
    for queue in plan.queues:
        after = (cluster, *(groups[name] for name in queue.groups))
        steps.add(f"queue {queue.name}", "AWS::PCS::Queue", f"queue {queue.name}", after)
