"""Configuration of the CloudWatch exporter, whose series have the names in the metric table."""

from __future__ import annotations

from typing import Any

from config.catalog.observability.metrics import metrics
from config.design.observability.collection.fsx import FILE_SYSTEM, STATEMENTS, dimensions_of, exporter_config

CONFIG = exporter_config("us-west-2")
JOBS: list[dict[str, Any]] = CONFIG["customNamespace"]


def series_of(namespace: str, metric: str, statistic: str) -> str:
    """Return the exporter's name of a series (pkg/promutil/migrate.go, BuildMetricName and PromString)."""
    return "_".join(_snake(word) for word in (namespace, metric, statistic))


def _snake(text: str) -> str:
    found, before = "", ""
    for letter in text.replace("/", "_"):
        if letter.isupper() and (before.islower() or before.isdigit()):
            found += "_"
        found += letter.lower()
        before = letter
    return found


def test_the_exporter_shows_every_series_of_the_table_and_no_other() -> None:
    shown = {
        series_of(job["namespace"], metric["name"], statistic)
        for job in JOBS
        for metric in job["metrics"]
        for statistic in metric["statistics"]
    }
    assert shown == {row.name for row in metrics().of("fsx")}


def test_names_of_series_follow_the_exporters_own_rule() -> None:
    assert series_of("AWS/FSx", "CPUUtilization", "Maximum") == "aws_fsx_cpuutilization_maximum"
    assert series_of("AWS/FSx", "DataReadBytes", "Sum") == "aws_fsx_data_read_bytes_sum"


def test_each_job_has_the_metrics_of_one_set_of_dimensions() -> None:
    sets = [tuple(job["dimensionNameRequirements"]) for job in JOBS]
    assert len(set(sets)) == len(sets)
    assert all("FileSystemId" in names for names in sets)
    for row in metrics().of("fsx"):
        (job,) = [job for job in JOBS if tuple(job["dimensionNameRequirements"]) == dimensions_of(row)]
        assert row.field.split(":")[0] in {metric["name"] for metric in job["metrics"]}
        assert FILE_SYSTEM in row.labels


def test_a_job_is_named_once_and_asks_one_region() -> None:
    assert len({job["name"] for job in JOBS}) == len(JOBS)
    assert [job["regions"] for job in JOBS] == [["us-west-2"]] * len(JOBS)


def test_what_is_asked_for_is_longer_than_a_period() -> None:
    for job in JOBS:
        for metric in job["metrics"]:
            assert 0 < metric["period"] < metric["length"]


def test_the_exporter_may_read_metrics_and_nothing_else() -> None:
    (statement,) = STATEMENTS
    assert statement["Action"] == ["cloudwatch:GetMetricData", "cloudwatch:ListMetrics"]
