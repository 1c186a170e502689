"""Catalogue of the alerts of a cluster."""

from __future__ import annotations

from functools import cache

from config.design.observability.alerts.model import Alert


@cache
def catalogue() -> tuple[Alert, ...]:
    """Return all alerts in the order of the rule groups."""
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
    """Return all alerts by name."""
    return {alert.name: alert for alert in catalogue()}
