"""CloudWatch alarms have the same thresholds as the alert rules that they replace."""

from __future__ import annotations

from config.design.observability.alerts.cloudwatch import plan_cloudwatch
from config.profile.observability.alerts import Alerts
from tests.observability.clusters import CLUSTERS

MEASURED = CLUSTERS["hyperpod-slurm on p5en"]
FILE_SYSTEM = {"scratch": "fs-0123456789abcdef0"}


def test_the_fullest_target_counts_and_not_the_sum() -> None:
    plan = plan_cloudwatch(MEASURED, Alerts(thresholds={"LustreTargetFull": 70}), FILE_SYSTEM, managed=False)
    (alarm,) = [alarm for alarm in plan.alarms if alarm.name == "LustreTargetFull-scratch"]
    assert alarm.query == (
        'SELECT MAX(StorageCapacityUtilization) FROM SCHEMA("AWS/FSx", FileSystemId, StorageTargetId)'
        " WHERE FileSystemId = 'fs-0123456789abcdef0'"
    )
    assert (alarm.threshold, alarm.period_s, alarm.periods, alarm.severity) == (70, 300, 1, "warning")


def test_every_alert_of_storage_is_an_alarm_or_left_out_with_a_reason() -> None:
    plan = plan_cloudwatch(MEASURED, Alerts(), FILE_SYSTEM, managed=False)
    assert {alarm.name.split("-")[0] for alarm in plan.alarms} == {
        "LustreTargetFull",
        "LustreTargetAlmostOut",
        "LustreServerHot",
        "LustreExportLate",
    }
    assert [(out.name, out.reason) for out in plan.left_out] == [
        ("LustreMetadataHot", "CloudWatch queries do not support patterns")
    ]
    assert len({alarm.name for alarm in plan.alarms}) == len(plan.alarms)


def test_samples_that_amp_throws_away_are_always_alarmed_of_where_there_is_amp() -> None:
    names = [alarm.name for alarm in plan_cloudwatch(MEASURED, Alerts(), {}, managed=True).alarms]
    assert names == ["AmpDiscardedSamples"]
    off = Alerts(off=("AmpDiscardedSamples", "LustreTargetFull"))
    assert plan_cloudwatch(MEASURED, off, {}, managed=True).alarms == ()
    left = plan_cloudwatch(MEASURED, off, FILE_SYSTEM, managed=False).alarms
    assert "LustreTargetFull-scratch" not in [alarm.name for alarm in left]
