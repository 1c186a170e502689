"""What nodes run to collect metrics: under Slurm exporters and an agent, elsewhere what no exporter reads."""

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
"""The version of Slurm whose controller shows metrics by itself (https://slurm.schedmd.com/metrics.html)."""

NATIVE: Mapping[str, str] = {
    "CommunicationParameters": "enable_http",
    "MetricsType": "metrics/openmetrics",
}
"""Settings that make it do so; PCS has its pages off by default
(https://docs.aws.amazon.com/pcs/latest/userguide/slurm-metrics.html)."""


def collects(profile: Profile) -> bool:
    """Whether nodes of this profile do anything for metrics."""
    return collector_of(profile) != "none"


def write_url_parameter(name: str) -> str:
    """The parameter with the address that a cluster's nodes send metrics to."""
    return f"/ultracluster/{name}/nodes/remote-write-url"


def slurm_metrics(profile: Profile) -> SlurmMetrics:
    """Who shows Slurm's metrics: its controller, where the control plane lets it, or an exporter."""
    pcs = profile.orchestrator
    if not isinstance(pcs, Pcs) or _version(pcs.slurm_version) < NATIVE_SINCE:
        return "slurm-exporter"
    stated = {name: value for name, value in pcs.settings.items() if name in NATIVE}
    kept = all((value or "").find(NATIVE[name]) >= 0 for name, value in stated.items())
    return "slurm-native" if kept else "slurm-exporter"


def native_settings(profile: Profile, groups: Sequence[GroupPlan]) -> Mapping[str, str]:
    """Slurm's settings that collection adds to a cluster's, where a node reads what they show."""
    wanted = collects(profile) and slurm_metrics(profile) == "slurm-native"
    return NATIVE if wanted and cluster_node(profile, groups) else {}


def existing_workspace(wanted: Observability) -> tuple[str, str] | None:
    """Region and id of the workspace of AMP that is there already, and that nodes sign their requests to."""
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
    """What the nodes of a profile do for metrics; None where they do nothing.

    `counters` are the texts of DCGM's counters by architecture, `architectures` that of each type with GPUs,
    and `fsx` is the configuration of what reads CloudWatch's metrics of file systems, None: nothing does;
    those of `file_systems` are kept, by the ids that their parameters name.
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
    """The node that reads what is the whole cluster's, by Slurm's name; `controller` where there is one.

    PCS's controller is no machine of ours, so it is the first login node; without one nobody reads it.
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
    """Where samples go: a new workspace has its address once it is there, so nodes read that."""
    existing, authentication = _existing(profile), _authentication(profile)
    secret = authentication.secret_arn if isinstance(authentication, SecretAuthentication) else ""
    return {
        "METRICS_WRITE_URL": existing.remote_write_url if existing else "",
        "METRICS_WRITE_PARAMETER": "" if existing else write_url_parameter(profile.name),
        "METRICS_SECRET": secret,
    }


def _groups(profile: Profile, groups: Sequence[GroupPlan]) -> dict[str, str]:
    """Tables by which a node finds its group: by PCS's name of it, and by its type where one group has it."""
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
    """One line for each archive and machine, as `uname` calls it."""
    return "\n".join(
        f"{archive.name} {uname} {archive.file_of(machine)} {archive.address_of(machine, downloads)}"
        f" {archive.sha256[machine] or '-'}"
        for archive in artefacts().archives.values()
        for uname, machine in MACHINES.items()
    )


def _table(pairs: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(pairs.items()))
