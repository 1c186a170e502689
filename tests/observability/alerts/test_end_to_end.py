"""Faults of sixteen nodes, from the exporters to the notification, with real programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.profile.observability.alerts import Alerts, SnsReceiver
from tests.observability.alerts.page import Exporters
from tests.observability.alerts.programs import TOPIC_ARN, running
from tests.observability.alerts.topic import Topic
from tests.observability.clusters import CLUSTERS

MEASURED = CLUSTERS["pcs on p6-b200"]
# this cluster has no metrics of Slurm and of training
WANTED = Alerts(receivers=(SnsReceiver(kind="sns"),), off=("MetricsAbsent",))

FIRED = [
    "[CRITICAL] GpuMissing: train-9: missing GPUs: 1",
    "[CRITICAL] LustreTargetAlmostOut: fs-0123456789abcdef0: OST0002 is 98 % full",
    "[CRITICAL] LustreUnhealthy: train-12: scratch does not respond, or uses TCP",
    "[WARNING] GpuXidResetLater: train-5: XID 94 of GPU 3",
]
RESOLVED = [f"[RESOLVED] {subject.partition('] ')[2]}" for subject in FIRED]


@pytest.mark.long
def test_exactly_the_faults_and_their_ends_are_sent_with_the_names_of_nodes(
    tmp_path: Path,
) -> None:
    exporters, topic = Exporters(), Topic()
    try:
        with running(tmp_path, MEASURED, exporters.address, topic.url, WANTED):
            # without faults, lifetime counters do not cause a notification
            assert topic.waits_for(bool, 15) == []
            exporters.faults.xids["train-5", 3] = 94
            exporters.faults.lost.add(("train-9", 6))
            exporters.faults.over_tcp.add("train-12")
            exporters.faults.fullest = 98.0
            assert topic.waits_for(lambda subjects: len(subjects) >= len(FIRED), 60) == sorted(FIRED)
            texts = {one.subject: one.message for one in topic.published}
            assert "node train-5" in texts[FIRED[3]]
            assert "docs/alerts.md#gpumissing" in texts[FIRED[0]]
            assert {one.topic for one in topic.published} == {TOPIC_ARN}
            # warnings of the same places are inhibited, and no more messages arrive
            assert topic.waits_for(lambda subjects: len(subjects) > len(FIRED), 15) == sorted(FIRED)
            exporters.faults.xids.clear()
            exporters.faults.lost.clear()
            exporters.faults.over_tcp.clear()
            exporters.faults.fullest = 40.0
            expected = sorted([*FIRED, *RESOLVED])
            assert topic.waits_for(lambda subjects: len(subjects) >= len(expected), 60) == expected
    finally:
        exporters.close()
        topic.close()
