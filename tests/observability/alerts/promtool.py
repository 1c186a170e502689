"""Unit tests for promtool from the cases of alerts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from config.design.observability.alerts.plan import AlertPlan, recorded_in
from config.design.observability.alerts.text import rules_text
from config.design.observability.model import Measured, Rule, RuleGroup
from config.design.observability.names import filled
from tests.observability.alerts.cases import Case
from tests.programs import needed

_LABELS = 'cluster="c", node="n1", instance_type="$type", group="train"'


def cases_of(rule: Rule, cases: Iterable[Case], measured: Measured) -> list[Case]:
    """Return the cases of one rule."""
    (nodes,) = measured.gpu_nodes
    return [
        case
        for case in cases
        if case.alert == rule.name
        and (case.metric or "").replace("$type", nodes.instance_type) == (rule.labels.get("metric") or "")
    ]


def write_tests(folder: Path, plan: AlertPlan, cases: Iterable[Case], measured: Measured) -> list[Path]:
    """Write a test file for each rule with cases; it contains that rule and the recording rules."""
    every = tuple(cases)
    recorded = next(group for group in plan.groups if group.name == "ultracluster-recorded")
    files = []
    for number, rule in enumerate(plan.alerts):
        rules = folder / f"{number}.rules.yml"
        asked = recorded.rules if recorded_in(rule.expression) else ()
        group = RuleGroup(name="one", rules=(*asked, rule))
        rules.write_text(rules_text([group]))
        tests = [_test(case, rule, measured) for case in cases_of(rule, every, measured)]
        file = folder / f"{number}.test.yml"
        file.write_text(
            yaml.safe_dump({"rule_files": [rules.name], "evaluation_interval": "1m", "tests": tests})
        )
        files.append(file)
    return files


def write_quiet(
    folder: Path, plan: AlertPlan, alert: str, series: Mapping[str, str], measured: Measured
) -> Path:
    """Write a test file in which no rule of an alert fires."""
    recorded = next(group for group in plan.groups if group.name == "ultracluster-recorded")
    rules = [rule for rule in plan.alerts if rule.name == alert]
    assert rules, f"the cluster has no {alert}"
    (folder / "rules.yml").write_text(rules_text([RuleGroup(name="one", rules=(*recorded.rules, *rules))]))
    never = [{"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": []} for minute in range(0, 121, 5)]
    test = {"interval": "1m", "input_series": _series(series, measured), "alert_rule_test": never}
    file = folder / "test.yml"
    file.write_text(
        yaml.safe_dump({"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [test]})
    )
    return file


def run_tests(files: Iterable[Path]) -> subprocess.CompletedProcess[str]:
    """Return the output of promtool for all files."""
    return subprocess.run(
        [needed("promtool"), "test", "rules", *map(str, files)], capture_output=True, text=True, check=False
    )


def _test(case: Case, rule: Rule, measured: Measured) -> dict[str, Any]:
    (nodes,) = measured.gpu_nodes
    own = {"cluster": "c", "node": "n1", "instance_type": nodes.instance_type, "group": "train"}
    fired = {
        "exp_labels": {**(own if case.of_node else {}), **case.labels, **rule.labels},
        "exp_annotations": {**rule.annotations, "summary": case.summary},
    }
    return {
        "name": f"{case.alert} {case.metric or ''}".strip(),
        "interval": "1m",
        "input_series": _series(case.series, measured),
        "alert_rule_test": [
            {"eval_time": f"{minute}m", "alertname": case.alert, "exp_alerts": expected}
            for minute, expected in ((2, []), (case.waits, []), (case.fires, [fired]), (case.quiet, []))
        ],
    }


def _series(values_by_series: Mapping[str, str], measured: Measured) -> list[dict[str, str]]:
    return [
        {"series": name, "values": values}
        for text, values in values_by_series.items()
        for name in _expanded(text, measured)
    ]


def _expanded(text: str, measured: Measured) -> Iterator[str]:
    (nodes,) = measured.gpu_nodes
    named = filled(re.sub(r"\{N\b", "{" + _LABELS, text), measured)
    assert named is not None, text
    named = named.replace("$type", nodes.instance_type)
    for word, count in (("$gpu", nodes.gpus), ("$efa", nodes.efa_devices)):
        if word in named:
            yield from (named.replace(word, str(number)) for number in range(1, count))
            return
    yield named
