"""Rules for clusters whose alerts can never fire because samples are missing."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.collector import collector_of
from config.design.kinds import collects_nothing
from config.design.model import Design
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.rules.registry import ERROR, WARNING, Finding, rule

LONGEST_INTERVAL_S = 120
"""Maximum sample interval in seconds. Alerts use rates over five minutes, and a rate needs two samples."""


@rule(
    "OBS046", ERROR, "the sample interval is short enough for alerts that use rates",
    why="A rate over five minutes needs at least two samples. With fewer samples, the expression of the alert has no value, and "
    "the alert never fires.",
    source="https://prometheus.io/docs/prometheus/latest/querying/functions/#rate",
    reads="orchestrator observability", where="collection",
)  # fmt: skip
def samples_are_close_together(design: Design) -> Iterator[Finding]:
    """Check `collection.interval_s`."""
    wanted = design.profile.observability
    if wanted is None or collector_of(design.profile) == "none":
        return
    interval_s = wanted.collection.interval_s
    if interval_s > LONGEST_INTERVAL_S:
        yield Finding(
            at=("observability", "collection", "interval_s"),
            message=f"with a sample every {interval_s} s, alerts that use five-minute rates never fire",
            hint=f"set `interval_s: {LONGEST_INTERVAL_S}` or less",
        )


@rule(
    "OBS047", WARNING, "ultracluster collects the metrics that alerts and dashboards use",
    why="Alert rules and panels query metrics that ultracluster collects. Without these metrics, alerts cannot fire.",
    source="https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/",
    reads="orchestrator observability", where="uncollected",
)  # fmt: skip
def metrics_are_collected(design: Design) -> Iterator[Finding]:
    """Report a Prometheus that receives no samples from ultracluster."""
    plane = design.profile.orchestrator
    if not collects_nothing(design.profile):
        return
    if isinstance(plane, HyperPodSlurm) and not isinstance(plane.lifecycle, Extended):
        yield Finding(
            at=("orchestrator", "lifecycle"),
            message=f"with `lifecycle: {{kind: {plane.lifecycle.kind}}}`, ultracluster does not install an agent on the nodes, so "
            "there are no metrics and no alerts",
            hint="set `lifecycle: {kind: extended}`, or set `prometheus: null`",
        )
        return
    yield Finding(
        at=("observability", "collection", "collector"),
        message="there are no alerts for nodes and GPUs, because with `collector: none` ultracluster does not collect their "
        "metrics",
        hint="remove `collector: none`, or write alerts for the metrics that you collect yourself",
    )
