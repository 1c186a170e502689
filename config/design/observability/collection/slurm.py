"""Metrics programs on nodes: Slurm nodes run exporters and an agent, Kubernetes nodes write textfiles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from config.catalog.observability.artefacts import MACHINES, artefacts
from config.design.capacity.groups import GroupPlan
from config.design.collector import collector_of
from config.design.nodes.clients import KUBERNETES, SharedLustre
from config.design.nodes.collection import SlurmCollection
from config.design.observability.collection.signing import amp_address, signing_region
from config.design.observability.collection.slurm_agent import AgentSettings, agent_text
from config.design.observability.model import SlurmMetrics
from config.design.slurm.pcs import group_name
from config.profile.model import Profile
from config.profile.observability.metrics import (
    Authentication,
    Collection,
    ExistingPrometheus,
    Observability,
    SecretAuthentication,
    Sigv4Authentication,
)
from config.profile.slurm.pcs import Pcs

NATIVE_SINCE = (25, 11)
"""First version of Slurm whose controller serves metrics itself (https://slurm.schedmd.com/metrics.html)."""

NATIVE: Mapping[str, str] = {
    "CommunicationParameters": "enable_http",
    "MetricsType": "metrics/openmetrics",
}
"""Slurm settings that turn on the controller's own metrics, which PCS turns off by default
(https://docs.aws.amazon.com/pcs/latest/userguide/slurm-metrics.html)."""


def collects(profile: Profile) -> bool:
    """Return whether nodes of this profile collect metrics."""
    return collector_of(profile) != "none"


def write_url_parameter(name: str) -> str:
    """Return the name of the SSM parameter with the URL that a cluster's nodes send metrics to."""
    return f"/ultracluster/{name}/nodes/remote-write-url"


def slurm_metrics(profile: Profile) -> SlurmMetrics:
    """Return the source of Slurm metrics: an exporter, or the controller if it serves metrics."""
    pcs = profile.orchestrator
    if not isinstance(pcs, Pcs) or _version(pcs.slurm_version) < NATIVE_SINCE:
        return "slurm-exporter"
    declared = {name: value for name, value in pcs.settings.items() if name in NATIVE}
    kept = all((value or "").find(NATIVE[name]) >= 0 for name, value in declared.items())
    return "slurm-native" if kept else "slurm-exporter"


def native_settings(profile: Profile, groups: Sequence[GroupPlan]) -> Mapping[str, str]:
    """Return the Slurm settings that turn on metrics; empty if no node scrapes them."""
    wanted = collects(profile) and slurm_metrics(profile) == "slurm-native"
    return NATIVE if wanted and cluster_node(profile, groups) else {}


def existing_workspace(wanted: Observability) -> tuple[str, str] | None:
    """Return Region and id of the existing AMP workspace; None for other servers and unsigned requests."""
    prometheus = wanted.prometheus
    if not isinstance(prometheus, ExistingPrometheus) or prometheus.authentication.kind != "sigv4":
        return None
    amp = amp_address(prometheus.remote_write_url)
    return (amp.region, amp.workspace_id) if amp else None


def plan_collection(
    profile: Profile,
    groups: Sequence[GroupPlan],
    *,
    counters: Mapping[str, str],
    architectures: Mapping[str, str],
    fsx: str | None,
    file_systems: Sequence[SharedLustre] = (),
) -> SlurmCollection | None:
    """Return the collection on the nodes of a profile; None if they do not collect metrics.

    `counters`: DCGM counters files by GPU architecture. `architectures`: GPU architecture of each instance
    type. `fsx`: configuration of the exporter of CloudWatch metrics; None if it does not run. `file_systems`:
    file systems whose metrics are kept, by the ids in their SSM parameters.
    """
    if not collects(profile):
        return None
    assert profile.observability is not None
    assert profile.orchestrator is not None
    collection = profile.observability.collection
    interval = {"METRICS_INTERVAL_S": str(collection.interval_s)}
    if profile.orchestrator.kind in KUBERNETES:
        return SlurmCollection(files={}, settings={**interval, "METRICS_AGENT": "false"}, kubernetes=True)
    present = {
        group.instance_type.name: architectures[group.instance_type.name]
        for group in groups
        if group.instance_type.name in architectures
    }
    reader = cluster_node(profile, groups)
    reads = fsx if reader else None
    names = [fs.dns_name_parameter for fs in file_systems if reads and fs.dns_name_parameter]
    destination = _destination(profile)
    slurm = slurm_metrics(profile)
    agent = AgentSettings(
        cluster=profile.name,
        region=profile.region,
        interval_s=collection.interval_s,
        authentication=_authentication(profile),
        application_port=collection.application_port,
        gpus=bool(present),
        slurm=slurm,
        fsx=bool(reads),
    )
    return SlurmCollection(
        files={
            "prometheus.yml": agent_text(agent),
            **({"fsx.yaml": reads} if reads else {}),
            **{f"dcgm-{name}.csv": counters[name] for name in sorted(set(present.values()))},
        },
        settings={
            **interval,
            "METRICS_AGENT": "true",
            **destination,
            "METRICS_SLURM": slurm.removeprefix("slurm-"),
            "METRICS_CLUSTER_NODE": reader or "",
            "METRICS_FILE_SYSTEMS": " ".join(names),
            **_groups(profile, groups),
            **_dcgm(collection, present),
            "METRICS_ARTEFACTS": _archives(collection.downloads),
        },
        parameters=tuple(filter(None, (destination["METRICS_WRITE_PARAMETER"], *names))),
        secret_arns=tuple(filter(None, (destination["METRICS_SECRET"],))),
        bucket=_bucket(collection.downloads),
        reads_cloudwatch=reads is not None,
    )


def cluster_node(profile: Profile, groups: Sequence[GroupPlan]) -> str | None:
    """Return the Slurm name of the node that scrapes metrics of the whole cluster; None if there is none.

    The node is `controller`. With PCS, which runs the controller itself, this node is the first login node.
    """
    if not isinstance(profile.orchestrator, Pcs):
        return "controller"
    logins = sorted(
        (group for group in groups if group.role == "login" and group.count), key=lambda group: group.name
    )
    return f"{group_name(logins[0].name, logins[0].instance_type.name)}-1" if logins else None


def _bucket(downloads: str | None) -> str | None:
    if downloads is None or not downloads.startswith("s3://"):
        return None
    return downloads.removeprefix("s3://").rstrip("/")


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _existing(profile: Profile) -> ExistingPrometheus | None:
    prometheus = profile.observability.prometheus if profile.observability else None
    return prometheus if isinstance(prometheus, ExistingPrometheus) else None


def _authentication(profile: Profile) -> Authentication:
    existing = _existing(profile)
    if existing and not isinstance(existing.authentication, Sigv4Authentication):
        return existing.authentication
    region = signing_region(existing, profile.region) if existing else None
    return Sigv4Authentication(kind="sigv4", region=region)


def _destination(profile: Profile) -> dict[str, str]:
    """Return the settings of the destination; nodes read the URL of a new workspace from an SSM parameter."""
    existing, authentication = _existing(profile), _authentication(profile)
    secret = authentication.secret_arn if isinstance(authentication, SecretAuthentication) else ""
    return {
        "METRICS_WRITE_URL": existing.remote_write_url if existing else "",
        "METRICS_WRITE_PARAMETER": "" if existing else write_url_parameter(profile.name),
        "METRICS_SECRET": secret,
    }


def _groups(profile: Profile, groups: Sequence[GroupPlan]) -> dict[str, str]:
    """Return two tables: from PCS group names to groups, and from instance types that only one group uses."""
    of_type: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        of_type[group.instance_type.name].add(group.name)
    named = (
        {group_name(group.name, group.instance_type.name): group.name for group in groups}
        if isinstance(profile.orchestrator, Pcs)
        else {}
    )
    alone = {name: next(iter(found)) for name, found in of_type.items() if len(found) == 1}
    return {"METRICS_GROUPS": _table(named), "METRICS_GROUP_OF_TYPE": _table(alone)}


def _dcgm(collection: Collection, present: Mapping[str, str]) -> dict[str, str]:
    image, downloads = artefacts().images["dcgm-exporter"], collection.downloads
    archives = {
        uname: f"{downloads.rstrip('/')}/{image.file_of(machine)}"
        for uname, machine in MACHINES.items()
        if downloads
    }
    return {
        "DCGM_ARCHITECTURES": _table(present),
        "DCGM_IMAGE": image.reference,
        "DCGM_ARCHIVES": _table(archives),
        "DCGM_PROFILING": "true" if collection.profiling else "false",
    }


@cache
def _archives(downloads: str | None) -> str:
    """Return one line for each archive and CPU architecture; the architecture's name is that of `uname`."""
    return "\n".join(
        f"{archive.name} {uname} {archive.file_of(machine)} {archive.address_of(machine, downloads)}"
        f" {archive.sha256[machine] or '-'}"
        for archive in artefacts().archives.values()
        for uname, machine in MACHINES.items()
    )


def _table(pairs: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(pairs.items()))
