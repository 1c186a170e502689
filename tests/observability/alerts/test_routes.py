"""Alertmanager notifies the right receivers, and inhibits the right alerts."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest

from config.design.observability.alerts import by_name
from config.profile.observability.alerts import Alerts, SnsReceiver
from tests.observability.alerts.programs import alertmanager
from tests.observability.alerts.topic import Topic


def fired(name: str, summary: str, **labels: str) -> dict[str, Mapping[str, str]]:
    """Return an alert as Prometheus sends it."""
    alert = by_name()[name]
    own = {"severity": alert.severity, "family": alert.family, "action": alert.action}
    return {
        "labels": {"alertname": name, "cluster": "c", **own, **labels},
        "annotations": {"summary": summary, "description": alert.meaning, "runbook": "docs/alerts.md"},
    }


@pytest.mark.parametrize(
    ("alerts", "subjects"),
    [
        pytest.param(
            [
                fired("NodeLost", "n1: the node is lost", node="n1"),
                fired("GpuMissing", "n1: missing GPUs: 8", node="n1"),
                fired("ExporterDown", "n1: the exporter dcgm does not respond", node="n1", job="dcgm"),
                fired("GpuMissing", "n2: missing GPUs: 1", node="n2"),
            ],
            ["[CRITICAL] GpuMissing: n2: missing GPUs: 1", "[CRITICAL] NodeLost: n1: the node is lost"],
            id="a lost node speaks for all of it and for no other",
        ),
        pytest.param(
            [
                fired("GpuXidReset", "n1: XID 95 of GPU 3", node="n1", gpu="3", xid="95"),
                fired("GpuProblems", "n1: problems found by the node check: 1", node="n1"),
                fired("DiskFull", "n1: / has 5 % free", node="n1", mountpoint="/"),
                fired("GpuThrottled", "n2: GPU 1: clocks are reduced by hw_thermal", node="n2", gpu="1"),
            ],
            [
                "[CRITICAL] GpuXidReset: n1: XID 95 of GPU 3",
                "[WARNING] DiskFull: n1: / has 5 % free",
                "[WARNING] GpuThrottled: n2: GPU 1: clocks are reduced by hw_thermal",
            ],
            id="a critical alert holds back the warnings of its family there",
        ),
        pytest.param(
            [
                fired("LustreTargetAlmostOut", "fs-1: full", dimension_FileSystemId="fs-1"),
                fired("LustreTargetFull", "fs-1: full", dimension_FileSystemId="fs-1"),
                fired("LustreTargetFull", "fs-2: OST0001 is 85 % full", dimension_FileSystemId="fs-2"),
            ],
            [
                "[CRITICAL] LustreTargetAlmostOut: fs-1: full",
                "[WARNING] LustreTargetFull: fs-2: OST0001 is 85 % full",
            ],
            id="one file system says nothing of another",
        ),
        pytest.param(
            [fired("GpuPowerViolation", "n1: GPU 0: held by its power limit", node="n1", gpu="0")],
            [],
            id="info has no receiver by default",
        ),
    ],
)
@pytest.mark.long
def test_alerts_are_sent_to_the_receivers_of_their_severity(
    alerts: list[dict[str, Mapping[str, str]]], subjects: list[str], tmp_path: Path
) -> None:
    topic = Topic()
    try:
        wanted = Alerts(receivers=(SnsReceiver(kind="sns"),))
        with alertmanager(tmp_path, topic.url, wanted) as address:
            request = urllib.request.Request(
                address, json.dumps(alerts).encode(), {"Content-Type": "application/json"}
            )
            urllib.request.urlopen(request, timeout=10).close()
            assert topic.waits_for(lambda found: len(found) >= max(1, len(subjects)), 12) == subjects
            assert topic.waits_for(lambda found: len(found) > len(subjects), 4) == subjects
    finally:
        topic.close()
