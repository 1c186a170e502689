"""What a deployment made, read back from the services themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .target import Target


@dataclass(frozen=True)
class Group:
    """Instances of one kind."""

    name: str
    instance_type: str
    count: int


@dataclass(frozen=True)
class Cluster:
    """A HyperPod cluster."""

    name: str
    arn: str
    status: str
    groups: tuple[Group, ...]
    nodes: int


@dataclass(frozen=True)
class Association:
    """A path of a file system linked to S3."""

    path: str
    repository: str


@dataclass(frozen=True)
class FileSystem:
    """A Lustre file system."""

    id: str
    status: str
    capacity_gib: int
    throughput_mbps_per_tib: int | None
    efa: bool
    associations: tuple[Association, ...]


@dataclass(frozen=True)
class Workspace:
    """A metrics or dashboard workspace."""

    kind: str
    id: str
    endpoint: str


@dataclass(frozen=True)
class Timed:
    """One resource on the critical path, and the seconds that it takes on AWS by what is published."""

    logical_id: str
    type: str
    seconds: float


@dataclass(frozen=True)
class Timing:
    """How long the deployment would have taken on AWS: the resources that decided it, the first one first."""

    seconds: float
    critical_path: tuple[Timed, ...]


@dataclass(frozen=True)
class Summary:
    """One deployed stack."""

    profile: str
    stack: str
    region: str
    status: str
    resources: int
    clusters: tuple[Cluster, ...]
    file_systems: tuple[FileSystem, ...]
    workspaces: tuple[Workspace, ...]
    outputs: Mapping[str, str]
    destroy: str
    timing: Timing | None = None

    def to_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)


def read_summary(target: Target, profile: str, stack_name: str, region: str, destroy: str) -> Summary:
    """Ask the services what is there."""
    cloudformation = target.client("cloudformation", region)
    stack = cloudformation.describe_stacks(StackName=stack_name)["Stacks"][0]
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack_name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    ids: dict[str, list[str]] = {}
    for resource in resources:
        ids.setdefault(resource["ResourceType"], []).append(resource["PhysicalResourceId"])
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
    return Summary(
        profile=profile,
        stack=stack_name,
        region=region,
        status=stack["StackStatus"],
        resources=len(resources),
        clusters=_clusters(target, region, ids.get("AWS::SageMaker::Cluster", [])),
        file_systems=_file_systems(target, region, ids.get("AWS::FSx::FileSystem", [])),
        workspaces=_workspaces(target, region, ids),
        outputs=outputs,
        destroy=destroy,
        timing=_timing(target, stack["StackId"]),
    )


def _timing(target: Target, stack_id: str) -> Timing | None:
    """The simulated clock's; an account of AWS has its own."""
    if target.cloud is None:
        return None
    told = target.cloud.timeline(stack_id)
    path = tuple(
        Timed(span["logical_id"], span["type"], span["end_s"] - span["begin_s"])
        for span in told["critical_path"]
    )
    return Timing(told["seconds"], path)


def _clusters(target: Target, region: str, arns: list[str]) -> tuple[Cluster, ...]:
    sagemaker = target.client("sagemaker", region)
    clusters = []
    for arn in arns:
        found = sagemaker.describe_cluster(ClusterName=arn)
        pages = sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName=arn)
        nodes = sum(len(page["ClusterNodeSummaries"]) for page in pages)
        groups = tuple(
            Group(group["InstanceGroupName"], group["InstanceType"], group["CurrentCount"])
            for group in found["InstanceGroups"]
        )
        clusters.append(Cluster(found["ClusterName"], arn, found["ClusterStatus"], groups, nodes))
    return tuple(clusters)


def _file_systems(target: Target, region: str, ids: list[str]) -> tuple[FileSystem, ...]:
    if not ids:
        return ()
    fsx = target.client("fsx", region)
    systems = []
    for system in fsx.describe_file_systems(FileSystemIds=ids)["FileSystems"]:
        links = fsx.describe_data_repository_associations(
            Filters=[{"Name": "file-system-id", "Values": [system["FileSystemId"]]}]
        )["Associations"]
        lustre = system.get("LustreConfiguration", {})
        systems.append(
            FileSystem(
                id=system["FileSystemId"],
                status=system["Lifecycle"],
                capacity_gib=system["StorageCapacity"],
                throughput_mbps_per_tib=lustre.get("PerUnitStorageThroughput"),
                efa=bool(lustre.get("EfaEnabled")),
                associations=tuple(Association(a["FileSystemPath"], a["DataRepositoryPath"]) for a in links),
            )
        )
    return tuple(systems)


def _workspaces(target: Target, region: str, ids: Mapping[str, list[str]]) -> tuple[Workspace, ...]:
    found = []
    wanted = ids.get("AWS::APS::Workspace", [])
    if wanted:
        for workspace in target.client("amp", region).list_workspaces()["workspaces"]:
            if workspace["arn"] in wanted:
                endpoint = target.client("amp", region).describe_workspace(
                    workspaceId=workspace["workspaceId"]
                )
                url = endpoint["workspace"]["prometheusEndpoint"]
                found.append(Workspace("prometheus", workspace["workspaceId"], url))
    for workspace_id in ids.get("AWS::Grafana::Workspace", []):
        host = f"https://{workspace_id}.grafana-workspace.{region}.amazonaws.com"
        found.append(Workspace("grafana", workspace_id, host))
    return tuple(found)


def as_text(summary: Summary) -> str:
    """The summary for people."""
    lines = [f"{summary.stack}: {summary.status} in {summary.region}, {summary.resources} resources"]
    for cluster in summary.clusters:
        lines.append(f"  cluster {cluster.name}: {cluster.status}, {cluster.nodes} nodes")
        lines += [f"    {group.name}: {group.count} x {group.instance_type}" for group in cluster.groups]
    for system in summary.file_systems:
        speed = f", {system.throughput_mbps_per_tib} MB/s/TiB" if system.throughput_mbps_per_tib else ""
        efa = ", EFA" if system.efa else ""
        lines.append(f"  file system {system.id}: {system.status}, {system.capacity_gib} GiB{speed}{efa}")
        lines += [f"    {link.path} <-> {link.repository}" for link in system.associations]
    lines += [f"  {workspace.kind} {workspace.id}: {workspace.endpoint}" for workspace in summary.workspaces]
    if summary.outputs:
        lines.append("  outputs:")
        lines += [f"    {name} = {value}" for name, value in summary.outputs.items()]
    if summary.timing:
        lines += _timing_lines(summary.timing)
    return "\n".join([*lines, "to remove it:", f"  {summary.destroy}"])


def _timing_lines(timing: Timing) -> list[str]:
    """What took at least a twentieth of the whole, on a line each."""
    decisive = [timed for timed in timing.critical_path if timed.seconds >= timing.seconds / 20]
    if not decisive:
        return []
    lines = [f"  on AWS about {_duration(timing.seconds)}, by published figures; what decides it:"]
    return lines + [f"    {timed.logical_id}: {_duration(timed.seconds)}" for timed in decisive]


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
