"""Checks of the AMP configuration of an accepted profile: scraper, rules and alert routes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from config.cluster import Cluster
from config.design.observability.alerts.alertmanager_faults import definition_faults
from config.design.observability.alerts.plan import RULES_IN_GROUP
from config.design.observability.alerts.text import fits
from config.design.observability.collection.scrape import SCRAPER_MOST_BYTES
from config.design.observability.plan import ObservabilityPlan
from scripts.tools.fuzz.finding import Finding

_LEFT = re.compile(r"\$(?!labels\b|value\b)[a-z_]+|<[a-z][a-z0-9_]*>")
"""A placeholder without a value; `$labels` and `$value` are Prometheus templates."""
_ARN = "arn:aws:sns:us-west-2:123456789012:new"


def check_amp(cluster: Cluster) -> Iterator[Finding]:
    """Yield the findings of rules, routes and scrape settings, if the cluster has them."""
    plan = cluster.design.observability if cluster.design else None
    if plan is not None:
        yield from _rules(plan)
        yield from _routes(plan)
        if plan.scraper is not None:
            json.loads(plan.scraper)
            if len(plan.scraper.encode()) > SCRAPER_MOST_BYTES:
                yield Finding("the scrape settings are within AMP's limit", f"{len(plan.scraper)} characters")


def _rules(plan: ObservabilityPlan) -> Iterator[Finding]:
    if plan.rules is not None and not fits(plan.rules):
        yield Finding("the rules file is within AMP's limit", f"{len(plan.rules)} characters")
    for group in plan.alerts.groups:
        if len(group.rules) > RULES_IN_GROUP:
            yield Finding("each rule group is within AMP's limit", f"{group.name} has {len(group.rules)}")
        for rule in group.rules:
            if left := _LEFT.findall(rule.expression):
                yield Finding("a rule has no open placeholders", f"{rule.name}: {left}")


def _routes(plan: ObservabilityPlan) -> Iterator[Finding]:
    manager = plan.alert_manager([_ARN for _ in plan.wanted.alerts.receivers])
    for fault in definition_faults(manager.wrapped()) if manager else ():
        yield Finding("AMP accepts the Alertmanager definition", fault)
