"""Select the scheduler of a profile's cluster from the resources of its stack."""

from __future__ import annotations

from functools import partial

from botocore.exceptions import ClientError

from scripts.cli.rehearsal.errors import RehearsalError

from .kubernetes import KubernetesScheduler
from .node_shell import HyperPodShell, PcsShell
from .scheduler import Scheduler, Scope
from .slurm import SlurmScheduler, hyperpod_hosts, pcs_hosts
from .where import Where


def scheduler_of(where: Where) -> Scheduler | None:
    """Return the scheduler; None if the stack has no cluster, or the cluster does not exist."""
    orchestrator = where.design.profile.orchestrator
    if orchestrator is None:
        return None
    if orchestrator.kind == "hyperpod-slurm":
        for arn in where.ids("AWS::SageMaker::Cluster").values():
            return SlurmScheduler(HyperPodShell(where, arn), partial(hyperpod_hosts, where, arn))
        return None
    if orchestrator.kind == "pcs":
        for arn in where.ids("AWS::PCS::Cluster").values():
            return SlurmScheduler(PcsShell(where, arn.rpartition("/")[2]), partial(pcs_hosts, where))
        return None
    names = list(where.ids("AWS::EKS::Cluster").values())
    if not names:
        return None
    try:
        api = where.target.kubernetes(where.region, names[0])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        return None  # the cluster is already deleted
    computing = tuple(group.name for group in where.design.groups if group.role == "compute")
    return KubernetesScheduler(api, names[0], where.region, computing)


def check_scope(where: Where, scope: Scope) -> None:
    """Raise for a group that the profile does not have."""
    known = [group.name for group in where.design.groups]
    unknown = next((name for name in scope.groups if name not in known), None)
    if unknown:
        raise RehearsalError(f"{where.stack} has no group {unknown}; its groups are {', '.join(known)}", 2)
