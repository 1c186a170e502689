"""The dashboards of a cluster."""

from __future__ import annotations

from config.design.observability.dashboards import cost, gpu, network, node, scheduler, storage, training
from config.design.observability.dashboards.layout import lay_out
from config.design.observability.dashboards.parts import Board
from config.design.observability.dashboards.places import Places
from config.design.observability.model import Dashboard, Measured

_BOARDS = (gpu.board, node.board, network.board, storage.board, scheduler.board, training.board, cost.board)


def boards(measured: Measured) -> tuple[Board, ...]:
    """Return all dashboards before the layout, with all panels."""
    return tuple(board(measured) for board in _BOARDS)


def plan_dashboards(measured: Measured, places: Places | None = None) -> tuple[Dashboard, ...]:
    """Return the dashboards for which the cluster has metrics, in the order in which to open them."""
    where = places or Places()
    planned = (lay_out(board, measured, where) for board in boards(measured))
    return tuple(dashboard for dashboard in planned if dashboard)
