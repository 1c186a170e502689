"""Clusters that look as if they were watched, and whose alerts have nothing to go by."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.collector import collector_of
from config.design.kinds import collects_nothing
from config.design.model import Design
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.rules.registry import ERROR, WARNING, Finding, rule

LONGEST_INTERVAL_S = 120
"""Alerts ask for rates over five minutes, which take two samples at least, one of which may fail."""


@rule(
    "OBS046", ERROR, "samples are so close together that alerts see how fast something grows",
    why="An alert over five minutes needs two samples in them: with fewer it has no value, and never fires.",
    source="https://prometheus.io/docs/prometheus/latest/querying/functions/#rate",
    reads="orchestrator observability", where="collection",
)  # fmt: skip
def samples_are_close_together(design: Design) -> Iterator[Finding]:
    """`interval_s` of collection."""
    wanted = design.profile.observability
    if wanted is None or collector_of(design.profile) == "none":
        return
    interval_s = wanted.collection.interval_s
    if interval_s > LONGEST_INTERVAL_S:
        yield Finding(
            at=("observability", "collection", "interval_s"),
            message=f"a sample every {interval_s} s: alerts over five minutes would never fire",
            hint=f"write `interval_s: {LONGEST_INTERVAL_S}` or fewer",
        )


@rule(
    "OBS047", WARNING, "somebody collects the metrics that alerts and dashboards ask for",
    why="Rules and panels ask for series of ultracluster's collection: without it no alert can fire.",
    source="https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/",
    reads="orchestrator observability", where="uncollected",
)  # fmt: skip
def metrics_are_collected(design: Design) -> Iterator[Finding]:
    """A Prometheus that nothing of ours sends to."""
    plane = design.profile.orchestrator
    if not collects_nothing(design.profile):
        return
    if isinstance(plane, HyperPodSlurm) and not isinstance(plane.lifecycle, Extended):
        yield Finding(
            at=("orchestrator", "lifecycle"),
            message=f"no metrics and no alerts: with `{plane.lifecycle.kind}` nothing of ultracluster runs on nodes",
            hint="write `lifecycle: {kind: extended}`, or `prometheus: null`",
        )
        return
    yield Finding(
        at=("observability", "collection", "collector"),
        message="no alerts of nodes and GPUs: they ask for series that ultracluster does not collect here",
        hint="leave collection to ultracluster, or alert on the series of what collects in its place",
    )
