"""Summary of a deployed stack, read from the services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .clusters import Cluster, eks_clusters_of, hyperpod_clusters_of, pcs_clusters_of
from .target import Target, stack_resources

DESTROY_COMMAND = "DestroyCommand"
"""Name of the stack output with the command that deletes the stack in an AWS account."""


@dataclass(frozen=True)
class Association:
    """A path of a file system that is linked to S3."""

    path: str
    repository: str


@dataclass(frozen=True)
class FileSystem:
    """A file system, with the name in its tag. `throughput_mbps` is None with a throughput tier.

    `capacity_gib` is None if the capacity is elastic.
    """

    id: str
    name: str
    kind: str
    status: str
    capacity_gib: int | None
    throughput_mbps_per_tib: int | None
    throughput_mbps: int | None
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
    """One resource on the critical path. `seconds` is the published duration on AWS."""

    logical_id: str
    type: str
    seconds: float


@dataclass(frozen=True)
class Untimed:
    """One resource whose duration on AWS is not published."""

    logical_id: str
    type: str
    action: str


@dataclass(frozen=True)
class Timing:
    """Estimated duration of the deployment on AWS.

    `critical_path` has the resources with a published duration, in order; `unpublished` has the resources
    without one. `forecast_s` is the plan's duration of a first deployment; None if there is no forecast.
    """

    seconds: float
    critical_path: tuple[Timed, ...]
    unpublished: tuple[Untimed, ...] = ()
    forecast_s: float | None = None


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
    directory_buckets: tuple[str, ...]
    workspaces: tuple[Workspace, ...]
    outputs: Mapping[str, str]
    destroy: str
    timing: Timing | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        return asdict(self)


def read_summary(
    target: Target,
    profile: str,
    stack_name: str,
    region: str,
    destroy: str,
    *,
    forecast_s: float | None = None,
) -> Summary:
    """Query the services. `forecast_s` is the plan's duration of a first deployment."""
    cloudformation = target.client("cloudformation", region)
    stack = cloudformation.describe_stacks(StackName=stack_name)["Stacks"][0]
    resources = stack_resources(cloudformation, stack_name)
    ids: dict[str, list[str]] = {}
    for resource in resources:
        ids.setdefault(resource["ResourceType"], []).append(resource["PhysicalResourceId"])
    first = stack["StackStatus"] == "CREATE_COMPLETE"
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
    return Summary(
        profile=profile,
        stack=stack_name,
        region=region,
        status=stack["StackStatus"],
        resources=len(resources),
        clusters=(
            *eks_clusters_of(target, region, ids),
            *hyperpod_clusters_of(target, region, ids.get("AWS::SageMaker::Cluster", [])),
            *pcs_clusters_of(target, region, ids.get("AWS::PCS::Cluster", [])),
        ),
        file_systems=file_systems_of(target, region, ids.get("AWS::FSx::FileSystem", [])),
        directory_buckets=tuple(ids.get("AWS::S3Express::DirectoryBucket", ())),
        workspaces=_workspaces(target, region, ids),
        outputs=outputs,
        destroy=destroy,
        timing=_timing(target, stack["StackId"], forecast_s if first else None),
    )


def _timing(target: Target, stack_id: str, forecast_s: float | None) -> Timing | None:
    """Return the timing from the embedded cloud's simulated clock; None if the target is an AWS account."""
    if target.cloud is None:
        return None
    return timing_of(target.cloud.timeline(stack_id), forecast_s)


def timing_of(timeline: Mapping[str, Any], forecast_s: float | None = None) -> Timing:
    """Return the timeline of an operation as a Timing."""
    path = tuple(
        Timed(span["logical_id"], span["type"], span["end_s"] - span["begin_s"])
        for span in timeline["critical_path"]
        if span["published"]
    )
    untimed = tuple(
        Untimed(span["logical_id"], span["type"], span["action"]) for span in timeline["unpublished"]
    )
    return Timing(timeline["seconds"], path, untimed, forecast_s)


def file_systems_of(target: Target, region: str, ids: list[str]) -> tuple[FileSystem, ...]:
    """Return the file systems with these ids, and their DRAs."""
    if not ids:
        return ()
    fsx = target.client("fsx", region)
    found = fsx.describe_file_systems(FileSystemIds=ids)["FileSystems"]
    return tuple(_file_system(fsx, system) for system in found)


def _file_system(fsx: Any, system: Mapping[str, Any]) -> FileSystem:
    lustre = system.get("LustreConfiguration")
    settings = lustre or system.get("OpenZFSConfiguration", {})
    links = []
    if lustre is not None:
        here = [{"Name": "file-system-id", "Values": [system["FileSystemId"]]}]
        links = fsx.describe_data_repository_associations(Filters=here)["Associations"]
    return FileSystem(
        id=system["FileSystemId"],
        name=next((tag["Value"] for tag in system.get("Tags", ()) if tag["Key"] == "Name"), ""),
        kind="Lustre" if lustre is not None else "OpenZFS",
        status=system["Lifecycle"],
        capacity_gib=system.get("StorageCapacity"),
        throughput_mbps_per_tib=settings.get("PerUnitStorageThroughput"),
        throughput_mbps=settings.get("ThroughputCapacity"),
        efa=bool(settings.get("EfaEnabled")),
        associations=tuple(Association(a["FileSystemPath"], a["DataRepositoryPath"]) for a in links),
    )


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
    """Return the summary as text."""
    resources = "1 resource" if summary.resources == 1 else f"{summary.resources} resources"
    lines = [f"{summary.stack}: {summary.status} in {summary.region}, {resources}"]
    for cluster in summary.clusters:
        lines += cluster.as_lines()
    for system in summary.file_systems:
        facts = ", ".join(_file_system_words(system))
        lines.append(f"  {system.kind} file system {system.name} ({system.id}): {facts}")
        lines += [f"    {link.path} <-> {link.repository}" for link in system.associations]
    lines += [f"  directory bucket {name}" for name in summary.directory_buckets]
    lines += [f"  {workspace.kind} {workspace.id}: {workspace.endpoint}" for workspace in summary.workspaces]
    # the destroy command is printed at the end
    outputs = [f"    {name} = {value}" for name, value in summary.outputs.items() if name != DESTROY_COMMAND]
    if outputs:
        lines += ["  outputs:", *outputs]
    if summary.timing:
        lines += _timing_lines(summary.timing)
    return "\n".join([*lines, "to remove it:", f"  {summary.destroy}"])


def _file_system_words(system: FileSystem) -> list[str]:
    parts = [system.status]
    if system.capacity_gib:
        parts.append(f"{system.capacity_gib} GiB")
    if system.throughput_mbps_per_tib:
        parts.append(f"{system.throughput_mbps_per_tib} MB/s/TiB")
    if system.throughput_mbps:
        parts.append(f"{system.throughput_mbps} MB/s")
    return [*parts, "EFA"] if system.efa else parts


def _timing_lines(timing: Timing) -> list[str]:
    """Return the timing as text; it lists the resources that take at least 5 % of the total duration."""
    unknown = ", ".join(_untimed(timing.unpublished))
    beside = [f"  no duration on AWS is published for: {unknown}"] if unknown else []
    decisive = [timed for timed in timing.critical_path if timed.seconds >= timing.seconds / 20]
    if not decisive:
        return beside
    planned = f" (planned: {_duration(timing.forecast_s)})" if timing.forecast_s is not None else ""
    duration = f"{_duration(timing.seconds)}{planned}"
    lines = [f"  estimated duration on AWS: {duration}, from published values; critical path:"]
    return [*lines, *(f"    {timed.logical_id}: {_duration(timed.seconds)}" for timed in decisive), *beside]


def _untimed(resources: tuple[Untimed, ...]) -> Iterator[str]:
    """Yield the name of each resource; for several of one type and action, yield their count and type."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in resources:
        alike.setdefault((one.type, one.action), []).append(one.logical_id)
    for (kind, action), names in alike.items():
        yield f"{names[0] if len(names) == 1 else f'{len(names)} {kind}'} ({action})"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
