"""Rules for the Region, zones, version and size of a control plane."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.zones import is_local_zone, is_zone_id
from config.profile.network import ExistingNetwork
from config.profile.orchestrator import HyperPodEks, HyperPodSlurm, version_of
from config.rules.parts import either
from config.rules.registry import ERROR, WARNING, Finding, rule

_HEALTH = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html"


@rule(
    "ORC006", ERROR, "the control plane is available in the profile's Region",
    why="In a Region without the control plane, CloudFormation rejects the resource type (HYPERPOD-22).",
    source="https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html", reads="region orchestrator",
    ages="the Regions that have HyperPod and PCS",
)  # fmt: skip
def control_plane_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check that the Region has AWS::SageMaker::Cluster or AWS::PCS::Cluster."""
    region, plane = catalog().region(design.profile.region), design.control_plane
    if region is None or plane is None or plane.service is None or getattr(region, plane.service):
        return
    known = ", ".join(sorted(name for name, row in catalog().regions.items() if getattr(row, plane.service)))
    service = "HyperPod" if plane.service == "hyperpod" else "PCS"
    yield Finding(
        at=("region",),
        message=f"{service} is not available in {region.name}",
        hint=f"set `region` to one of {known}",
    )


@rule(
    "ORC008", WARNING, "faulty nodes are replaced automatically",
    why="Without automatic recovery, HyperPod does not replace a node that fails a health check, and jobs with "
    "auto-resume wait forever.",
    source=_HEALTH, reads="orchestrator", where="hyperpod-slurm hyperpod-eks",
)  # fmt: skip
def nodes_recover(design: Design) -> Iterator[Finding]:
    """Check that `node_recovery` is automatic."""
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, HyperPodSlurm | HyperPodEks) and orchestrator.node_recovery == "none":
        yield Finding(
            at=("orchestrator", "node_recovery"),
            message="with `node_recovery: none`, HyperPod does not replace faulty nodes",
            hint="write `node_recovery: automatic`",
        )


@rule(
    "ORC027", ERROR, "a control plane without support for Local Zones is in an Availability Zone",
    why="PCS rejects subnets in a Local Zone, so PCS cannot use instance types that only a Local Zone offers.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_vpc-requirements.html",
    reads="orchestrator network data availability_zone availability_zone_id",
    where="local-zone", ages="which control planes support Local Zones",
)  # fmt: skip
def local_zone_is_taken(design: Design) -> Iterator[Finding]:
    """Check that the control plane supports the zone of its nodes and of the file system."""
    plane, zone = design.control_plane, design.profile.zone
    if plane is None or plane.local_zones or not zone or not is_local_zone(zone):
        return
    others = either(name for name, other in catalog().control_planes.items() if other.local_zones)
    key = "availability_zone_id" if is_zone_id(zone) else "availability_zone"
    yield Finding(
        at=(key,),
        message=f"{plane.title} does not support subnets in the Local Zone {zone}",
        hint=f"set `orchestrator.kind` to {others}, or use an Availability Zone of {design.profile.region} and instance types that "
        "this zone offers",
    )


@rule(
    "ORC028", ERROR, "an EKS control plane has subnets in two Availability Zones",
    why="EKS creates the network interfaces of its control plane in at least two Availability Zones, and not in Local "
    "Zones.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    reads="orchestrator network data availability_zone availability_zone_id",
)  # fmt: skip
def zones_are_enough(design: Design) -> Iterator[Finding]:
    """Check the number of Availability Zones of the private subnets."""
    plane = design.control_plane
    if plane is None or design.network is None or plane.zones < 2:
        return
    zones = sorted({s.zone for s in design.network.private_subnets if not is_local_zone(s.zone)})
    if len(zones) < plane.zones:
        have = (
            f"has private subnets only in {', '.join(zones)}"
            if zones
            else "does not have a private subnet in an Availability Zone"
        )
        yield Finding(
            at=("data" if design.profile.network is None else "network",),
            message=f"{plane.title} needs private subnets in {plane.zones} zones of {design.profile.region}, but the "
            f"network {have}",
            hint=_more_zones(design, plane.zones - len(zones)),
        )


def _more_zones(design: Design, missing: int) -> str:
    home = design.profile.network or (design.data_profile.network if design.data_profile else None)
    where = "" if design.profile.network else " of the data profile"
    if isinstance(home, ExistingNetwork):
        subnets = "a private subnet in another zone" if missing == 1 else "private subnets in two zones"
        return f"add {subnets} to `network.subnets`{where}"
    return f"add {missing} {'zone' if missing == 1 else 'zones'} to `network.secondary_zones`{where}"


@rule(
    "ORC029", ERROR, "the control plane supports the version",
    why="AWS rejects a new cluster with another version.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html", reads="orchestrator", where="eks hyperpod-eks pcs",
    ages="the versions that each control plane supports",
)  # fmt: skip
def version_is_offered(design: Design) -> Iterator[Finding]:
    """Check `kubernetes_version` and `slurm_version`."""
    orchestrator, plane = design.profile.orchestrator, design.control_plane
    if orchestrator is None or plane is None or isinstance(orchestrator, HyperPodSlurm):
        return
    key, version = version_of(orchestrator)
    if version not in plane.versions:
        yield Finding(
            at=("orchestrator", key),
            message=f"{plane.title} does not support version {version}",
            hint=f"set the version to one of {', '.join(plane.versions)}, in quotes",
        )


@rule(
    "ORC030", ERROR, "groups and nodes are within the limits of the control plane",
    why="AWS does not increase these quotas. PCS rejects the eleventh compute node group, and the largest PCS cluster manages "
    "2048 nodes.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/service-endpoints-quotas.html",
    reads="orchestrator compute",
    ages="the limits of each control plane",
)  # fmt: skip
def control_plane_holds_the_cluster(design: Design) -> Iterator[Finding]:
    """Compare groups and nodes with the limits in the catalogue."""
    plane, compute = design.control_plane, design.profile.compute
    if plane is None or compute is None or (plane.max_groups is None and plane.max_nodes is None):
        return
    nodes = sum(group.count for group in compute.groups)
    limits = ((len(compute.groups), plane.max_groups, "groups"), (nodes, plane.max_nodes, "nodes"))
    for asked, most, what in limits:
        if most is not None and asked > most:
            yield Finding(
                at=("compute", "groups"),
                message=f"the profile has {asked} {what}, but {plane.title} supports at most {most}",
                hint=f"remove {asked - most} of the {what}, or create a second cluster",
            )
