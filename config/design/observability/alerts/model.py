"""Model of an alert: expressions, meaning and remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from config.design.nodes.repair.policy import Action
from config.design.observability.model import Severity

Family = Literal["node", "gpu", "efa", "storage", "training", "scheduler", "collection"]
Each = Literal["job", "unpriced-type"]

NODE = "cluster, node, instance_type, group"
"""Labels that alerts about nodes keep, since the person on call needs them first."""
MINUTE = 60
HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Threshold of an alert, `$threshold` in its expressions; a profile can set another value.

    `intervals`: number of checkpoint intervals to use instead, if the workload declares an interval. `source`:
    origin of the value; empty if it is our choice. `least`, `most`: limits outside which the alert would always
    or never fire.
    """

    value: float
    unit: str
    intervals: float | None = None
    source: str = ""
    least: float = 0
    most: float | None = None

    def text(self) -> str:
        """Return the value with its unit, for a page or a message."""
        return f"{self.value:g} {self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """Expression of an alert with placeholders.

    `<key>` is replaced by a metric, `$threshold` by the threshold, `$cluster` by the cluster's name, `$window` by
    the threshold as a duration, `$elastic` by the groups that scale with their jobs. `planes`: control planes
    that use the expression; empty: all. `each`: one rule for each job of the collection (`$job`), or for each
    type of GPU node without a price (`$instance_type`). `otherwise`: used only if the cluster lacks the
    metrics of the expressions before it.
    """

    text: str
    planes: tuple[str, ...] = ()
    each: Each | None = None
    otherwise: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """An alert with its runbook.

    Each expression in `queries` becomes a rule if the cluster has its metrics. `summary` is a Prometheus template
    that starts with the place of the fault. `meaning`, `checks` and `remedy` are the runbook.
    By default an alert is a warning that fires after five minutes, and its action is only to report.
    """

    name: str
    family: Family
    queries: str | tuple[str | Expression, ...]
    summary: str
    meaning: str
    checks: tuple[str, ...]
    remedy: str
    severity: Severity = "warning"
    action: Action = "report"
    for_s: int = 5 * MINUTE
    keep_s: int = 0
    threshold: Threshold | None = None
    planes: tuple[str, ...] = ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Return the expressions of the alert, each of which can fire on its own."""
        queries = (self.queries,) if isinstance(self.queries, str) else self.queries
        return tuple(Expression(text=one) if isinstance(one, str) else one for one in queries)


def percent(value: float, unit: str = "percent") -> Threshold:
    """Return a threshold in percent, from 1 to 99."""
    return Threshold(value=value, unit=unit, least=1, most=99)
