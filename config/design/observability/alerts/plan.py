"""Alert rules of a cluster, the alerts that it lacks, and the reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from config.catalog.observability.metrics import metrics
from config.design.observability.alerts import catalogue
from config.design.observability.alerts.model import Alert, Expression
from config.design.observability.alerts.recorded import recorded_rules
from config.design.observability.model import Measured, Rule, RuleGroup
from config.design.observability.names import filled, keys_of, missing
from config.profile.observability.alerts import Alerts

RULES_IN_GROUP = 20
"""Maximum number of rules in a group: a limit of AMP that only older documentation mentions
(https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html)."""
LEAST_CHECKPOINT_S = 600
LONGEST_S = 31 * 24 * 3600
"""AMP queries can read at most 32 days back (https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html)."""
RUNBOOK = "docs/alerts.md"
_RECORDED = re.compile(r"ultracluster:[a-z_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """An alert that a cluster lacks; the plan prints the reason, which is a phrase."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPlan:
    """Rule groups of a cluster, recording rules first, and the alerts that are left out."""

    groups: tuple[RuleGroup, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def alerts(self) -> tuple[Rule, ...]:
        """Return the alerting rules."""
        return tuple(rule for group in self.groups for rule in group.rules if rule.kind == "alert")


def plan_alerts(measured: Measured, wanted: Alerts) -> AlertPlan:
    """Return the alert plan of a cluster."""
    recorded = recorded_rules(measured)
    known = {rule.name for rule in recorded}
    rules: dict[str, list[Rule]] = {}
    left_out = []
    for alert in catalogue():
        found = () if alert.name in wanted.off else tuple(_rules(alert, measured, wanted, known))
        rules.setdefault(alert.family, []).extend(found)
        if not found:
            left_out.append(LeftOut(name=alert.name, reason=_reason(alert, measured, wanted, known)))
    return AlertPlan(
        groups=tuple(_groups([("recorded", recorded), *rules.items()])), left_out=tuple(left_out)
    )


def runbook_of(name: str, wanted: Alerts) -> str:
    """Return the URL or path of an alert's runbook."""
    return f"{wanted.runbook_url or RUNBOOK}#{name.lower()}"


def threshold_of(alert: Alert, measured: Measured, wanted: Alerts) -> float | None:
    """Return the threshold: from the profile, from the checkpoint interval, or from the catalogue.

    The result is None if the alert has no threshold.
    """
    declared = wanted.thresholds.get(alert.name)
    if declared is not None or alert.threshold is None:
        return declared
    if alert.threshold.intervals and measured.checkpoint_interval_s:
        return max(alert.threshold.intervals * measured.checkpoint_interval_s, LEAST_CHECKPOINT_S)
    return alert.threshold.value


def _groups(named: Iterable[tuple[str, Sequence[Rule]]]) -> Iterator[RuleGroup]:
    for name, rules in named:
        for start in range(0, len(rules), RULES_IN_GROUP):
            number = start // RULES_IN_GROUP
            suffix = f"-{number + 1}" if number else ""
            yield RuleGroup(
                name=f"ultracluster-{name}{suffix}", rules=tuple(rules[start : start + RULES_IN_GROUP])
            )


def _rules(alert: Alert, measured: Measured, wanted: Alerts, known: set[str]) -> Iterator[Rule]:
    threshold = threshold_of(alert, measured, wanted)
    figure = {} if threshold is None else {"$threshold": f"{threshold:.10g}", "$window": _window(threshold)}
    seen = False
    for expression in _applying(alert, measured):
        text = _filled(expression.text, measured, known)
        if text is None or (expression.otherwise and seen):
            continue
        for replaced in _each(expression, measured):
            seen = True
            metric = _metric(alert, expression, replaced)
            yield _rule(
                alert, _replaced(text, {**replaced, **figure}), metric, runbook_of(alert.name, wanted)
            )


def _window(threshold: float) -> str:
    """Return the threshold as a duration in whole seconds, within the limit of AMP queries."""
    return f"{round(min(LONGEST_S, max(1, threshold)))}s"


def _replaced(text: str, values: dict[str, str]) -> str:
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text


def _metric(alert: Alert, expression: Expression, replaced: dict[str, str]) -> str | None:
    """Return the label value that distinguishes the rules of one alert, which have the same name.

    The value is the metric, job or instance type of the rule; None if the alert has only one rule.
    """
    if expression.each is not None:
        return replaced.get("$job") or replaced["$instance_type"]
    if sum(not one.otherwise for one in alert.expressions) == 1:
        return None
    keys = keys_of(expression.text) or recorded_in(expression.text)
    return keys[0]


def recorded_in(expression: str) -> tuple[str, ...]:
    """Return the recorded series that an expression uses."""
    return tuple(dict.fromkeys(str(found) for found in _RECORDED.findall(expression)))


def _rule(alert: Alert, expression: str, metric: str | None, runbook: str) -> Rule:
    labels = {"severity": alert.severity, "family": alert.family, "action": alert.action}
    return Rule(
        name=alert.name,
        expression=expression,
        for_s=alert.for_s,
        keep_s=alert.keep_s,
        labels={**labels, "metric": metric} if metric else labels,
        annotations={
            "summary": alert.summary,
            "description": f"{alert.meaning} Recommended action: {alert.remedy}",
            "runbook": runbook,
        },
    )


def _applying(alert: Alert, measured: Measured) -> Iterator[Expression]:
    for expression in alert.expressions:
        planes = expression.planes or alert.planes
        if not planes or measured.control_plane in planes:
            yield expression


def _each(expression: Expression, measured: Measured) -> Iterator[dict[str, str]]:
    common = {"$cluster": measured.cluster, "$elastic": "|".join(measured.elastic)}
    if expression.each is None:
        yield common
    elif expression.each == "job":
        yield from ({**common, "$job": job} for job in jobs_of(measured))
    else:
        for nodes in measured.gpu_nodes:
            if nodes.dollars_per_gpu_hour is None:
                yield {**common, "$instance_type": nodes.instance_type}


def jobs_of(measured: Measured) -> tuple[str, ...]:
    """Return the jobs that always have series while the cluster runs.

    Programs that users start are excluded. DCGM is excluded, because it has no series while no GPU node runs;
    another alert counts its GPUs. The node exporter is excluded if all nodes of the cluster may be
    terminated.
    """
    sometimes = {"application", "dcgm", *(() if measured.steady else ("node",))}
    exporters = metrics().exporters
    jobs = {exporters[name].job for name in measured.exporters - sometimes}
    return tuple(sorted(job for job in jobs if job))


def _filled(text: str, measured: Measured, known: set[str]) -> str | None:
    if not set(recorded_in(text)) <= known:
        return None
    return filled(text, measured)


def _reason(alert: Alert, measured: Measured, wanted: Alerts, known: set[str]) -> str:
    if alert.name in wanted.off:
        return "turned off in observability.alerts.off"
    applying = tuple(_applying(alert, measured))
    if not applying:
        planes = {plane for one in alert.expressions for plane in (one.planes or alert.planes)}
        return f"only for {', '.join(sorted(planes))}"
    keys = dict.fromkeys(key for one in applying for key in missing(one.text, measured))
    if keys:
        return f"the cluster does not collect {', '.join(map(_described, keys))}"
    unknown = {name for one in applying for name in recorded_in(one.text)} - known
    if unknown:
        return f"the cluster does not record {', '.join(sorted(unknown))}"
    return "the cluster has no node that this alert applies to"


def _described(key: str) -> str:
    rows = metrics().named(key)
    of = sorted({architecture for row in rows for architecture in row.architectures})
    needs = sorted({row.needs for row in rows if row.needs})
    parts = [row.name for row in rows[:1]] + ([f"(a metric of {' and '.join(of)} GPUs)"] if of else [])
    return " ".join([*parts, *(f"(requires {need})" for need in needs)])
