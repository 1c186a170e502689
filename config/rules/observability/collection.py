"""Rules for the collection of metrics."""

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
    "OBS010", ERROR, "the AMP managed collector is used only with Kubernetes",
    why="The collector finds its targets through the API of an EKS cluster or by DNS names. HyperPod nodes are in the "
    "service's own account, and PCS nodes have no DNS names that the collector can use.",
    source=_COLLECTOR, reads="orchestrator observability", where="collection",
)  # fmt: skip
def managed_collector_has_kubernetes(design: Design) -> Iterator[Finding]:
    """Check that `collector: managed` is not used with Slurm."""
    orchestrator = design.profile.orchestrator
    if orchestrator is None or isinstance(orchestrator, Kubernetes):
        return
    if _wanted(design).collection.collector == "managed":
        yield Finding(
            at=(*_AT, "collector"),
            message=f"the AMP managed collector cannot find the nodes of {orchestrator.kind}",
            hint="set `collector: agent`, which runs a Prometheus agent on each node",
        )


@rule(
    "OBS011", ERROR, "the AMP managed collector is available in the profile's Region",
    why="In a Region without the service, CloudFormation rejects the resource type, and the whole stack rolls back.",
    source=_COLLECTOR, reads="region orchestrator observability", where="collection",
    ages="the Regions that have the AMP managed collector",
)  # fmt: skip
def managed_collector_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check that the Region has AWS::APS::Scraper."""
    region = catalog().region(design.profile.region)
    if region and not region.prometheus_scraper and _wanted(design).collection.collector == "managed":
        yield Finding(
            at=(*_AT, "collector"),
            message=f"the AMP managed collector is not available in {region.name}",
            hint="set `collector: agent`",
        )


@rule(
    "OBS012", ERROR, "the AMP managed collector has an interval of at least 30 seconds",
    why="The collector rejects a shorter interval.",
    source=_SCRAPE, reads="orchestrator observability", where="collection",
)  # fmt: skip
def managed_collector_supports_the_interval(design: Design) -> Iterator[Finding]:
    """Check the interval of `collector: managed`."""
    collection = _wanted(design).collection
    if collection.collector == "managed" and collection.interval_s < _LEAST_INTERVAL_S:
        yield Finding(
            at=(*_AT, "interval_s"),
            message=f"`interval_s` is {collection.interval_s} s, but the minimum of the AMP managed collector is "
            f"{_LEAST_INTERVAL_S} s",
            hint=f"set `interval_s: {_LEAST_INTERVAL_S}`, or set `collector: agent`",
        )


@rule(
    "OBS013", ERROR, "HyperPod's observability add-on and ultracluster do not both collect metrics",
    why="If two exporters read one GPU, neither exporter gets DCGM's profiling metrics (OBS-05). All other samples are stored and "
    "billed twice (OBS-20).",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-cluster-observability-cluster.html",
    reads="orchestrator observability", where="observability_addon",
)  # fmt: skip
def one_program_collects(design: Design) -> Iterator[Finding]:
    """Check that `observability_addon` and `collector` are not combined."""
    wanted, orchestrator = design.profile.observability, design.profile.orchestrator
    declared = wanted.collection.collector if wanted else None
    if declared in ("managed", "agent") and getattr(orchestrator, "observability_addon", None) is not None:
        yield Finding(
            at=(*_AT, "collector"),
            message=f"`collector: {declared}` and HyperPod's observability add-on would both collect metrics",
            hint="set `collector: none`, or remove `observability_addon` from `orchestrator`",
        )


@rule(
    "OBS038", NOTE, "the metrics of the cluster have alert rules and dashboards",
    why="The metrics of HyperPod's observability add-on have other names than the metrics in ultracluster's alerts and "
    "dashboards. The alerts of docs/alerts.md then never fire, and Grafana shows only the file systems.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-cluster-observability-cluster.html",
    reads="orchestrator observability", where="observability_addon",
)  # fmt: skip
def addon_has_no_rules(design: Design) -> Iterator[Finding]:
    """Report `observability_addon`."""
    if getattr(design.profile.orchestrator, "observability_addon", None) is not None:
        yield Finding(
            at=("orchestrator", "observability_addon"),
            message="with HyperPod's observability add-on, the stack has no dashboards for GPUs, EFA or jobs, and "
            "does not have the alerts in docs/alerts.md",
            hint="load rules and dashboards for the add-on's metrics yourself, or remove `observability_addon`",
        )


@rule(
    "OBS014", ERROR, "collected metrics have a Prometheus to store them",
    why="A collector needs a Prometheus to send samples to. The AMP managed collector sends only to an AMP workspace.",
    source=_COLLECTOR, reads="observability", where="collection",
)  # fmt: skip
def collector_has_a_prometheus(design: Design) -> Iterator[Finding]:
    """Check that the collector has a Prometheus to send to."""
    wanted = _wanted(design)
    declared = wanted.collection.collector
    if declared in ("managed", "agent") and wanted.prometheus is None:
        yield Finding(
            at=(*_AT, "collector"),
            message=f"`collector: {declared}` has no Prometheus to send to",
            hint="add `prometheus: {kind: managed}`, or set `collector: none`",
        )
    elif declared == "managed" and isinstance(wanted.prometheus, ExistingPrometheus):
        yield Finding(
            at=(*_AT, "collector"),
            message="the AMP managed collector cannot send to an existing Prometheus, only to an AMP workspace",
            hint="set `collector: agent`, or set `prometheus: {kind: managed}`",
        )


@rule(
    "OBS015", ERROR, "Grafana can query an existing Prometheus",
    why="`remote_write_url` accepts samples, but does not answer queries. Without `query_url`, every panel of Grafana is empty.",
    source="https://grafana.com/docs/grafana/latest/datasources/prometheus/configure/",
    reads="observability", where="existing-prometheus",
)  # fmt: skip
def prometheus_can_be_queried(design: Design) -> Iterator[Finding]:
    """Check that an existing Prometheus has `query_url` if there is a Grafana."""
    wanted = _wanted(design)
    if (
        isinstance(wanted.prometheus, ExistingPrometheus)
        and wanted.grafana
        and not wanted.prometheus.query_url
    ):
        yield Finding(
            at=("observability", "prometheus", "query_url"),
            message=f"Grafana has no address to query: {wanted.prometheus.remote_write_url} accepts samples, but does not answer "
            "queries",
            hint="add `query_url:`, or set `grafana: null`",
        )


@rule(
    "OBS016", NOTE, "ultracluster's alert rules are loaded into an existing Prometheus",
    why="ultracluster loads rules only into an AMP workspace. In another Prometheus, no alert fires until you load the rules "
    "yourself.",
    source="https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/",
    reads="observability", where="existing-prometheus",
)  # fmt: skip
def rules_are_loaded_manually(design: Design) -> Iterator[Finding]:
    """Report a Prometheus with `kind: existing`."""
    if not isinstance(_wanted(design).prometheus, ExistingPrometheus):
        return
    yield Finding(
        at=("observability", "prometheus"),
        message="ultracluster does not load alert rules and alert manager routes into an existing Prometheus",
        hint="run `ultracluster metrics PROFILE --output FOLDER` and load the files that this command writes",
    )


@rule(
    "OBS017", WARNING, "nodes of a closed network can download the exporters",
    why="The exporters are released on GitHub and in NVIDIA's registry, which a closed network cannot reach.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html",
    reads="network orchestrator observability", where="closed",
)  # fmt: skip
def closed_nodes_reach_the_exporters(design: Design) -> Iterator[Finding]:
    """Check that a closed network with Slurm has `downloads` in S3."""
    wanted = design.profile.observability
    if wanted is None or design.network is None or not design.network.closed:
        return
    if isinstance(design.profile.orchestrator, Kubernetes):
        return
    downloads = wanted.collection.downloads
    if collector_of(design.profile) == "agent" and not (downloads or "").startswith("s3://"):
        yield Finding(
            at=(*_AT, "downloads"),
            message="the cluster would have no metrics: the network is closed, but nodes download the exporters from "
            + (downloads or "the internet"),
            hint="copy the files to an S3 bucket and set `downloads: s3://...`, or set `collector: none`",
        )


@rule(
    "OBS018", NOTE, "users can profile their jobs with the GPU profiler",
    why="Only one program at a time can use the profiler of a GPU. Nsight fails while DCGM reads profiling metrics, and "
    "these metrics stop while Nsight runs.",
    source="https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html",
    reads="observability", where="collection",
)  # fmt: skip
def profiler_is_free(design: Design) -> Iterator[Finding]:
    """Report `profiling: true` if the profile sets it."""
    collection = _wanted(design).collection
    if collection.profiling and "profiling" in collection.model_fields_set:
        yield Finding(
            at=(*_AT, "profiling"),
            message="DCGM's profiling metrics use the profiler of every GPU, so Nsight fails",
            hint="run `dcgmi profile --pause` in jobs that use Nsight, or set `profiling: false`",
        )


@rule(
    "OBS019", ERROR, "the KMS key of the metrics is in the profile's Region",
    why="An AMP workspace can use only KMS keys in the Region of the workspace.",
    source=f"{_AMP}/encryption-at-rest-Amazon-Service-Prometheus.html", reads="region observability",
    where="metrics-key",
)  # fmt: skip
def key_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `prometheus.kms_key_arn`."""
    wanted = _wanted(design)
    key = wanted.prometheus.kms_key_arn if isinstance(wanted.prometheus, ManagedPrometheus) else None
    if key and key.split(":")[3] != design.profile.region:
        yield Finding(
            at=("observability", "prometheus", "kms_key_arn"),
            message=f"the KMS key is in {key.split(':')[3]}, but the workspace is in {design.profile.region}",
            hint=f"set `kms_key_arn` to a key in {design.profile.region}; this can be a replica of the current key",
        )


@rule(
    "OBS027", ERROR, "the AMP managed collector sends to a workspace without a customer managed key",
    why="With a customer managed key, the collector needs two more roles, which ultracluster does not create.",
    source=_COLLECTOR, reads="observability", where="collection",
)  # fmt: skip
def managed_collector_has_no_customer_key(design: Design) -> Iterator[Finding]:
    """Check that `collector: managed` and `prometheus.kms_key_arn` are not combined."""
    wanted = _wanted(design)
    if wanted.collection.collector != "managed" or not isinstance(wanted.prometheus, ManagedPrometheus):
        return
    if wanted.prometheus.kms_key_arn is not None:
        yield Finding(
            at=(*_AT, "collector"),
            message="the AMP managed collector cannot write to a workspace with a customer managed key",
            hint="set `collector: agent`, or remove `kms_key_arn` from `prometheus`",
        )
