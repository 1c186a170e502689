"""How metrics are collected, and what cannot be combined."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.collector import collector_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.base import Kubernetes
from config.profile.observability.metrics import ExistingPrometheus, ManagedPrometheus, Observability
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_AMP = "https://docs.aws.amazon.com/prometheus/latest/userguide"
_COLLECTOR = f"{_AMP}/AMP-collector-how-to.html"
_SCRAPE = (
    "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "managed-prometheus-collectors-scraper-configuration.html"
)
_AT: Path = ("observability", "collection")
_LEAST_INTERVAL_S = 30


def _wanted(design: Design) -> Observability:
    return design.profile.observability or Observability()


@rule(
    "OBS010", ERROR, "AMP's collector is for Kubernetes",
    why="It finds what it scrapes through the API of a cluster of EKS, or by names in DNS: HyperPod's nodes are in the "
    "service's own account, and those of PCS come and go without names.",
    source=_COLLECTOR, reads="orchestrator observability", where="collection",
)  # fmt: skip
def managed_collector_has_kubernetes(design: Design) -> Iterator[Finding]:
    """collector: managed under Slurm."""
    orchestrator = design.profile.orchestrator
    if orchestrator is None or isinstance(orchestrator, Kubernetes):
        return
    if _wanted(design).collection.collector == "managed":
        yield Finding(
            at=(*_AT, "collector"),
            message=f"AMP's collector finds no nodes of {orchestrator.kind}",
            hint="write `collector: agent`: an agent on every node sends what it reads there",
        )


@rule(
    "OBS011", ERROR, "AMP's collector exists in the profile's Region",
    why="CloudFormation does not know the resource type there, and the whole stack rolls back.",
    source=_COLLECTOR, reads="region orchestrator observability", where="collection",
    ages="the Regions that have AMP's collector",
)  # fmt: skip
def managed_collector_is_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region has AWS::APS::Scraper."""
    region = catalog().region(design.profile.region)
    if region and not region.prometheus_scraper and _wanted(design).collection.collector == "managed":
        yield Finding(
            at=(*_AT, "collector"),
            message=f"AMP's collector is not offered in {region.name}",
            hint="write `collector: agent`",
        )


@rule(
    "OBS012", ERROR, "AMP's collector is asked for no sample more often than every 30 seconds",
    why="It refuses a shorter interval.",
    source=_SCRAPE, reads="orchestrator observability", where="collection",
)  # fmt: skip
def managed_collector_takes_the_interval(design: Design) -> Iterator[Finding]:
    """The interval with collector: managed."""
    collection = _wanted(design).collection
    if collection.collector == "managed" and collection.interval_s < _LEAST_INTERVAL_S:
        yield Finding(
            at=(*_AT, "interval_s"),
            message=f"a sample every {collection.interval_s} s, AMP's collector takes {_LEAST_INTERVAL_S} s and more",
            hint=f"write `interval_s: {_LEAST_INTERVAL_S}`, or `collector: agent`",
        )


@rule(
    "OBS013", ERROR, "HyperPod's collectors or ours, not both",
    why="Two exporters on one GPU make DCGM's profiling metrics vanish for both (OBS-05), and every other sample is kept "
    "and paid for twice (OBS-20).",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-cluster-observability-cluster.html",
    reads="orchestrator observability", where="observability_addon",
)  # fmt: skip
def one_collects(design: Design) -> Iterator[Finding]:
    """observability_addon beside collector."""
    wanted, orchestrator = design.profile.observability, design.profile.orchestrator
    stated = wanted.collection.collector if wanted else None
    if stated in ("managed", "agent") and getattr(orchestrator, "observability_addon", None) is not None:
        yield Finding(
            at=(*_AT, "collector"),
            message=f"`collector: {stated}` beside HyperPod's observability add-on, which collects as well",
            hint="write `collector: none`, or take `observability_addon` out of the orchestrator",
        )


@rule(
    "OBS038", NOTE, "what HyperPod's collectors measure is watched by rules of one's own",
    why="Their metrics have other names than those that our alerts and dashboards ask for: beside them AMP evaluates none "
    "of docs/alerts.md, and Grafana has the file systems alone.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-cluster-observability-cluster.html",
    reads="orchestrator observability", where="observability_addon",
)  # fmt: skip
def addon_has_no_rules(design: Design) -> Iterator[Finding]:
    """observability_addon."""
    if getattr(design.profile.orchestrator, "observability_addon", None) is not None:
        yield Finding(
            at=("orchestrator", "observability_addon"),
            message="no alert of docs/alerts.md is evaluated, and no dashboard of GPUs, EFA or jobs is loaded",
            hint="load rules and dashboards for the add-on's metrics yourself, or take it out for ultracluster's own",
        )


@rule(
    "OBS014", ERROR, "what is collected has a place",
    why="A collector sends what it reads somewhere, and AMP's only to a workspace of AMP.",
    source=_COLLECTOR, reads="observability", where="collection",
)  # fmt: skip
def collected_has_a_place(design: Design) -> Iterator[Finding]:
    """Collector without a Prometheus that takes it."""
    wanted = _wanted(design)
    stated = wanted.collection.collector
    if stated in ("managed", "agent") and wanted.prometheus is None:
        yield Finding(
            at=(*_AT, "collector"),
            message=f"`collector: {stated}` without a Prometheus to send to",
            hint="add `prometheus: {kind: managed}`, or write `collector: none`",
        )
    elif stated == "managed" and isinstance(wanted.prometheus, ExistingPrometheus):
        yield Finding(
            at=(*_AT, "collector"),
            message="AMP's collector sends to a workspace of AMP alone, not to a Prometheus of your own",
            hint="write `collector: agent`, or `prometheus: {kind: managed}`",
        )


@rule(
    "OBS015", ERROR, "Grafana can ask a Prometheus of one's own",
    why="Remote write is an address to send to: without one to ask, every panel stays empty.",
    source="https://grafana.com/docs/grafana/latest/datasources/prometheus/configure/",
    reads="observability", where="existing-prometheus",
)  # fmt: skip
def prometheus_can_be_asked(design: Design) -> Iterator[Finding]:
    """query_url beside Grafana."""
    wanted = _wanted(design)
    if (
        isinstance(wanted.prometheus, ExistingPrometheus)
        and wanted.grafana
        and not wanted.prometheus.query_url
    ):
        yield Finding(
            at=("observability", "prometheus", "query_url"),
            message=f"Grafana has nothing to ask: {wanted.prometheus.remote_write_url} only takes samples",
            hint="add `query_url:`, or write `grafana: null`",
        )


@rule(
    "OBS016", NOTE, "a Prometheus of one's own is given the rules",
    why="ultracluster loads rules into a workspace of AMP alone: elsewhere no alert fires before somebody loads them.",
    source="https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/",
    reads="observability", where="existing-prometheus",
)  # fmt: skip
def rules_are_loaded_by_hand(design: Design) -> Iterator[Finding]:
    """Prometheus of kind existing."""
    if not isinstance(_wanted(design).prometheus, ExistingPrometheus):
        return
    yield Finding(
        at=("observability", "prometheus"),
        message="the rules and the alert manager's routes are not loaded into a Prometheus of your own",
        hint="`ultracluster metrics PROFILE --output FOLDER` writes them as files to load",
    )


@rule(
    "OBS017", WARNING, "nodes of a closed network get exporters from a place that they reach",
    why="The exporters are released on GitHub and their images in NVIDIA's registry, which no endpoint reaches.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html",
    reads="network orchestrator observability", where="closed",
)  # fmt: skip
def closed_nodes_reach_the_exporters(design: Design) -> Iterator[Finding]:
    """A closed network under Slurm without downloads."""
    wanted = design.profile.observability
    if wanted is None or design.network is None or not design.network.closed:
        return
    if isinstance(design.profile.orchestrator, Kubernetes):
        return
    downloads = wanted.collection.downloads
    if collector_of(design.profile) == "agent" and not (downloads or "").startswith("s3://"):
        yield Finding(
            at=(*_AT, "downloads"),
            message="no metrics: the network is closed, and nodes get their exporters from "
            + (downloads or "their releases on the internet"),
            hint="put the files into a bucket and write `downloads: s3://...`, or write `collector: none`",
        )


@rule(
    "OBS018", NOTE, "users who profile their jobs have the GPU's profiler to themselves",
    why="A GPU has one profiler at a time: Nsight fails while DCGM's profiling metrics are read, and these stop while "
    "Nsight runs.",
    source="https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html",
    reads="observability", where="collection",
)  # fmt: skip
def profilers_are_told_of(design: Design) -> Iterator[Finding]:
    """`profiling: true`, where somebody thought of it."""
    collection = _wanted(design).collection
    if collection.profiling and "profiling" in collection.model_fields_set:
        yield Finding(
            at=(*_AT, "profiling"),
            message="DCGM's profiling metrics hold the profiler of every GPU",
            hint="a job that is profiled pauses them with `dcgmi profile --pause`; or write `profiling: false`",
        )


@rule(
    "OBS019", ERROR, "the KMS key of the metrics is in the profile's Region",
    why="AMP uses keys of its own Region alone.",
    source=f"{_AMP}/encryption-at-rest-Amazon-Service-Prometheus.html", reads="region observability",
    where="metrics-key",
)  # fmt: skip
def key_is_in_the_region(design: Design) -> Iterator[Finding]:
    """prometheus.kms_key_arn."""
    wanted = _wanted(design)
    key = wanted.prometheus.kms_key_arn if isinstance(wanted.prometheus, ManagedPrometheus) else None
    if key and key.split(":")[3] != design.profile.region:
        yield Finding(
            at=("observability", "prometheus", "kms_key_arn"),
            message=f"a key of {key.split(':')[3]}, the workspace is in {design.profile.region}",
            hint=f"name a key of {design.profile.region}, or a replica of this one there",
        )


@rule(
    "OBS027", ERROR, "AMP's collector sends to a workspace that it can encrypt for",
    why="It uses a customer's key through two roles of its own, which ultracluster does not make.",
    source=_COLLECTOR, reads="observability", where="collection",
)  # fmt: skip
def collector_has_no_key(design: Design) -> Iterator[Finding]:
    """The managed collector beside prometheus.kms_key_arn."""
    wanted = _wanted(design)
    if wanted.collection.collector != "managed" or not isinstance(wanted.prometheus, ManagedPrometheus):
        return
    if wanted.prometheus.kms_key_arn is not None:
        yield Finding(
            at=(*_AT, "collector"),
            message="AMP's collector beside a customer key of the workspace",
            hint="write `collector: agent`, or take `kms_key_arn` out of `prometheus`",
        )
