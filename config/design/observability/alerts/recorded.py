"""Recording rules for expected, visible and idle devices of each node."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.observability.alerts.model import NODE
from config.design.observability.model import GpuNodes, Measured, Rule
from config.design.observability.names import filled

IDLE_PERCENT = 5
"""A GPU is idle if its utilization is below this value for half an hour; the value is our choice."""
HELD_MIB = 1024
"""A program occupies a GPU if it uses more memory than this; the driver alone uses less."""


def recorded_rules(measured: Measured) -> tuple[Rule, ...]:
    """Return the recording rules of a cluster, in the order of their dependencies."""
    texts = (
        *(text for nodes in measured.gpu_nodes for text in _expected(nodes)),
        (
            "ultracluster:seen_gpus",
            f"count by ({NODE}) (count by ({NODE}, gpu) (<gpu_temperature>))",
        ),
        ("ultracluster:seen_efa_devices", f"count by ({NODE}) (<efa_info>)"),
        (
            "ultracluster:idle_gpus",
            f"count by ({NODE})"
            f" ((max by ({NODE}, gpu) (max_over_time(<gpu_utilization>[30m])) < {IDLE_PERCENT})"
            f" and (max by ({NODE}, gpu) (<gpu_memory_used>) > {HELD_MIB}))",
        ),
        *(text for nodes in measured.gpu_nodes for text in _dollars(nodes)),
    )
    named = ((name, filled(text, measured)) for name, text in texts)
    return tuple(Rule(name=name, expression=text, kind="record") for name, text in named if text is not None)


def _expected(nodes: GpuNodes) -> Iterator[tuple[str, str]]:
    """Yield rules that record the expected devices of each node, even if the devices do not have a series."""
    there = f'max by ({NODE}) (<up>{{job="node", instance_type="{nodes.instance_type}"}} >= bool 0)'
    for name, count in (("gpus", nodes.gpus), ("efa_devices", nodes.efa_devices)):
        if count:
            yield f"ultracluster:expected_{name}", f"{count} * {there}"


def _dollars(nodes: GpuNodes) -> Iterator[tuple[str, str]]:
    if nodes.dollars_per_gpu_hour is not None:
        # the expression uses the metric, so that the series exists only if GPUs have metrics
        idle = f'ultracluster:idle_gpus{{instance_type="{nodes.instance_type}"}}'
        yield "ultracluster:idle_dollars_per_hour", f"{idle} * {nodes.dollars_per_gpu_hour:.10g}"
