"""What an alert is: what it asks of the metrics, what it means, and what is to be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from config.design.nodes.repair.policy import Action
from config.design.observability.model import Severity

Family = Literal["node", "gpu", "efa", "storage", "training", "scheduler", "collection"]
Each = Literal["job", "unpriced-type"]

NODE = "cluster, node, instance_type, group"
"""Labels of a node that alerts keep: what somebody who is woken looks for first."""
MINUTE = 60
HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The figure that an expression calls `$threshold`; a profile may state another one.

    `intervals`: so many of the workload's checkpoint intervals instead, where it states one. `source`: where
    the figure is from; without one it is a choice of ours. Below `least` and above `most` an alert would be
    told always or never.
    """

    value: float
    unit: str
    intervals: float | None = None
    source: str = ""
    least: float = 0
    most: float | None = None

    def told(self) -> str:
        """The figure with its unit, for a page or a message."""
        return f"{self.value:g} {self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """One way to see it: `<key>` stands for a metric, `$threshold` for the figure, `$cluster` for the name.

    `$window` is the figure as a length of time, `$elastic` the groups whose nodes come and go with their jobs.
    `planes`: the control planes that it is for; none: all. `each`: one rule for every job of the collection
    (`$job`) or every type of GPU node without a price (`$instance_type`). `otherwise`: only where the cluster
    lacks the metrics of those before it.
    """

    text: str
    planes: tuple[str, ...] = ()
    each: Each | None = None
    otherwise: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something to be told of.

    Each expression that it `asks` becomes a rule of its own, as far as the cluster has its metrics. `summary`
    names the place in a template of Prometheus. `meaning`, `look` and `cure` are the runbook.
    Without more it is a warning about what holds for five minutes, and nothing is done but report it.
    """

    name: str
    family: Family
    asks: str | tuple[str | Expression, ...]
    summary: str
    meaning: str
    look: tuple[str, ...]
    cure: str
    severity: Severity = "warning"
    action: Action = "report"
    for_s: int = 5 * MINUTE
    keep_s: int = 0
    threshold: Threshold | None = None
    planes: tuple[str, ...] = ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Everything that it asks, each a way to see it on its own."""
        asked = (self.asks,) if isinstance(self.asks, str) else self.asks
        return tuple(Expression(text=one) if isinstance(one, str) else one for one in asked)


def percent(value: float, unit: str = "percent") -> Threshold:
    """A share as a threshold."""
    return Threshold(value=value, unit=unit, least=1, most=99)
