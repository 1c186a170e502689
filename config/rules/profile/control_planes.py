"""Where a control plane exists, in which version, and how much it holds."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.zones import is_local_zone, is_zone_id
from config.profile.network import ExistingNetwork
from config.profile.orchestrator import HyperPodEks, HyperPodSlurm, version_of
from config.rules.registry import ERROR, WARNING, Finding, rule

_HEALTH = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html"


@rule(
    "ORC006", ERROR, "the control plane exists in the profile's Region",
    why="CloudFormation does not know the resource type there (HYPERPOD-22).",
    source="https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html", reads="region orchestrator",
    ages="the Regions that have HyperPod and PCS",
)  # fmt: skip
def control_plane_is_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region has AWS::SageMaker::Cluster, or AWS::PCS::Cluster."""
    region, plane = catalog().region(design.profile.region), design.control_plane
    if region is None or plane is None or plane.service is None or getattr(region, plane.service):
        return
    known = ", ".join(sorted(name for name, row in catalog().regions.items() if getattr(row, plane.service)))
    service = "HyperPod" if plane.service == "hyperpod" else "PCS"
    yield Finding(
        at=("region",), message=f"{service} is not offered in {region.name}", hint=f"it is in {known}"
    )


@rule(
    "ORC008", WARNING, "faulty nodes are replaced automatically",
    why="Without automatic recovery a node that fails a health check stays in the cluster, and jobs with auto-resume wait for ever.",
    source=_HEALTH, reads="orchestrator", where="hyperpod-slurm hyperpod-eks",
)  # fmt: skip
def nodes_recover(design: Design) -> Iterator[Finding]:
    """node_recovery is automatic."""
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, HyperPodSlurm | HyperPodEks) and orchestrator.node_recovery == "none":
        yield Finding(
            at=("orchestrator", "node_recovery"),
            message="faulty nodes stay in the cluster until somebody replaces them",
            hint="write `node_recovery: automatic`",
        )


@rule(
    "ORC027", ERROR, "a control plane that takes no Local Zone stands in a zone of the Region",
    why="PCS takes no subnet in a Local Zone, so that the machines that only a Local Zone sells cannot be had with it.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_vpc-requirements.html",
    reads="orchestrator network data availability_zone availability_zone_id",
    where="local-zone", ages="which control planes take a Local Zone",
)  # fmt: skip
def local_zone_is_taken(design: Design) -> Iterator[Finding]:
    """The zone of nodes and file system against the control plane."""
    plane, zone = design.control_plane, design.profile.zone
    if plane is None or plane.local_zones or not zone or not is_local_zone(zone):
        return
    others = " or ".join(name for name, other in catalog().control_planes.items() if other.local_zones)
    key = "availability_zone_id" if is_zone_id(zone) else "availability_zone"
    yield Finding(
        at=(key,),
        message=f"{plane.title} takes no subnet in the Local Zone {zone}",
        hint=f"use {others}, or a zone of {design.profile.region} itself with machines that it sells",
    )


@rule(
    "ORC028", ERROR, "a control plane of EKS has subnets in two zones of the Region",
    why="EKS puts the interfaces of its control plane into at least two availability zones, and into no Local Zone.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    reads="orchestrator network data availability_zone availability_zone_id",
)  # fmt: skip
def zones_are_enough(design: Design) -> Iterator[Finding]:
    """Zones of the network that are no Local Zones."""
    plane = design.control_plane
    if plane is None or design.network is None or plane.zones < 2:
        return
    zones = sorted({s.zone for s in design.network.private_subnets if not is_local_zone(s.zone)})
    if len(zones) < plane.zones:
        have = (
            f"has private subnets in {', '.join(zones)} alone"
            if zones
            else "has no private subnet in the Region itself"
        )
        yield Finding(
            at=("data" if design.profile.network is None else "network",),
            message=f"{plane.title} needs private subnets in {plane.zones} zones of {design.profile.region}, the network {have}",
            hint=_more_zones(design, plane.zones - len(zones)),
        )


def _more_zones(design: Design, missing: int) -> str:
    home = design.profile.network or (design.data_profile.network if design.data_profile else None)
    where = "" if design.profile.network else " of the data profile"
    if isinstance(home, ExistingNetwork):
        subnets = (
            "a private subnet of another zone" if missing == 1 else "private subnets of two of its zones"
        )
        return f"add {subnets} to `network.subnets`{where}"
    return f"add {missing} more of its zones to `network.secondary_zones`{where}"


@rule(
    "ORC029", ERROR, "the version is one that the control plane offers",
    why="The service refuses to create a cluster of another version.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html", reads="orchestrator", where="eks hyperpod-eks pcs",
    ages="the versions that each control plane offers",
)  # fmt: skip
def version_is_offered(design: Design) -> Iterator[Finding]:
    """kubernetes_version and slurm_version."""
    orchestrator, plane = design.profile.orchestrator, design.control_plane
    if orchestrator is None or plane is None or isinstance(orchestrator, HyperPodSlurm):
        return
    key, version = version_of(orchestrator)
    if version not in plane.versions:
        yield Finding(
            at=("orchestrator", key),
            message=f"{plane.title} has no version {version}",
            hint=f"write one of {', '.join(plane.versions)}, in quotes",
        )


@rule(
    "ORC030", ERROR, "a cluster has no more groups and nodes than its control plane holds",
    why="These quotas cannot be raised: PCS refuses the eleventh compute node group, and its largest size has 2048 nodes.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/service-endpoints-quotas.html",
    reads="orchestrator compute",
    ages="how much each control plane holds",
)  # fmt: skip
def control_plane_holds_the_cluster(design: Design) -> Iterator[Finding]:
    """Groups and nodes against the catalogue's limits."""
    plane, compute = design.control_plane, design.profile.compute
    if plane is None or compute is None or (plane.max_groups is None and plane.max_nodes is None):
        return
    nodes = sum(group.count for group in compute.groups)
    limits = ((len(compute.groups), plane.max_groups, "groups"), (nodes, plane.max_nodes, "nodes"))
    for asked, most, what in limits:
        if most is not None and asked > most:
            yield Finding(
                at=("compute", "groups"),
                message=f"{asked} {what}; a cluster of {plane.title} has {most} at most",
                hint=f"take {asked - most} {what} out, or make a second cluster",
            )
