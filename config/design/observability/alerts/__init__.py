"""Everything that a cluster is alerted of, by what it is about."""

from __future__ import annotations

from functools import cache

from config.design.observability.alerts.model import Alert


@cache
def catalogue() -> tuple[Alert, ...]:
    """All alerts there are, in the order of the rule groups."""
    from config.design.observability.alerts import (
        efa,
        gpus,
        kubernetes,
        nodes,
        slurm,
        storage,
        training,
        xids,
    )

    modules = (nodes, xids, gpus, efa, storage, training, slurm, kubernetes)
    return tuple(alert for module in modules for alert in module.ALERTS)


def by_name() -> dict[str, Alert]:
    """The alerts by their names."""
    return {alert.name: alert for alert in catalogue()}
