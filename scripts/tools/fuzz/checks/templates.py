"""Checks of the template of an accepted profile."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from app import synthesize
from config.catalog import catalog
from config.catalog.durations import durations
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from config.cluster import Cluster
from config.design.deployment.forecast import forecast
from config.design.deployment.timing import Timed
from config.design.model import Design
from scripts.cli.review.evaluated import Evaluated
from scripts.cli.review.validity import Resources
from scripts.cli.review.waivers import waivers_of
from scripts.cloud.template.document import Template
from scripts.cloud.template.timing import slow_steps, slow_waits
from scripts.tools.fuzz.finding import Finding

_MOST_RESOURCES, _MOST_BYTES = 400, 700_000


def template_of(cluster: Cluster, folder: Path) -> str:
    """Synthesize an accepted profile into a folder; return its template."""
    assert cluster.design is not None
    synthesize(cluster, outdir=str(folder))
    return (folder / f"{cluster.design.profile.name}.template.json").read_text(encoding="utf-8")


def check_template(design: Design, text: str) -> Iterator[Finding]:
    """Yield the findings of a template; cfn-lint runs only if the catalogue has the Region."""
    yield from _size(text)
    yield from _reported(design, text)
    yield from check_timing(design, Template.parse(text))
    if catalog().region(design.profile.region):
        yield from _linted(design, text)


def _size(text: str) -> Iterator[Finding]:
    resources = len(json.loads(text)["Resources"])
    if resources > _MOST_RESOURCES or len(text) > _MOST_BYTES:
        yield Finding("a template is within its limits", f"{resources} resources, {len(text)} bytes")


def _reported(design: Design, text: str) -> Iterator[Finding]:
    """Yield the findings of the template rules."""
    region, name = design.profile.region, design.profile.name
    evaluated = Evaluated.of(Template.parse(text), region, name)
    resources = Resources(
        region=region,
        kinds={key: evaluated.kind(key) for key in evaluated.order},
        properties={key: evaluated.properties(key) for key in evaluated.order},
        waivers=waivers_of(evaluated.template),
    )
    for key in evaluated.order:
        for problem in resources.faults(key):
            if problem.waived is None:
                yield Finding("the resource rules accept an accepted profile's template", f"{key}: {problem}")


def check_timing(design: Design, template: Template) -> Iterator[Finding]:
    """Yield a finding if the forecast differs from the template, or if a wait is not in the catalogue."""
    planned, made = forecast(design)[1], slow_steps(template)
    forecast_steps, real = _timeline(planned), _timeline(made)
    if forecast_steps != real:
        difference = f"forecast {dict(forecast_steps - real)}, template {dict(real - forecast_steps)}"
        yield Finding("the deployment forecast agrees with the template", difference)
    paths = [[step.type for step in steps if step.critical] for steps in (planned, made)]
    if paths[0] != paths[1]:
        yield Finding("the deployment forecast agrees with the template", f"path {paths[0]}, not {paths[1]}")
    for name, other, of, on in sorted(slow_waits(template)):
        if (of, on) not in durations().waits:
            yield Finding(
                "each wait between slow resources of a template has a reason", f"{name} for {other}"
            )


def _timeline(steps: Iterable[Timed]) -> Counter[tuple[str, float, float]]:
    return Counter((step.type, step.begin_s, step.end_s) for step in steps)


def _sold(message: str) -> bool:
    """Return whether cfn-lint's message is about an instance type that HyperPod's API lists."""
    names = {instance.hyperpod_name for instance in catalog().instances.values()}
    return message.split("'")[1] in names


def _sold_in(message: str, region: str) -> bool:
    """Return whether the catalogue has the instance type that cfn-lint does not know in the Region."""
    instance = catalog().instance(message.split("'")[1])
    return instance is not None and region in {
        *instance.on_demand_regions,
        *instance.capacity_block_regions,
    }


def _governed(message: str, region: str) -> bool:
    """Return whether cfn-lint's message is about a task governance type that the Region does have."""
    types = ("AWS::SageMaker::ClusterSchedulerConfig", "AWS::SageMaker::ComputeQuota")
    return region in hyperpod_eks().governance_regions and any(f"'{name}'" in message for name in types)


def _linted(design: Design, text: str) -> Iterator[Finding]:
    """Yield the findings of cfn-lint; skip findings that are known to be wrong."""
    from cfnlint.api import lint  # type: ignore[import-untyped]  # has no types
    from cfnlint.config import ManualArgs  # type: ignore[import-untyped]  # has no types

    settings = ManualArgs(regions=[design.profile.region], mandatory_checks=["I3011"])
    found: list[Any] = lint(text, config=settings)
    by_name = design.network is not None and not all(s.zone_is_id for s in design.network.subnets)
    for match in found:
        # the profile sets the zone of its nodes
        named = match.rule.id == "W3010" and by_name
        # cfn-lint reads its types by Region from price lists; rules CAP009 and CAP010 check them
        missed = match.rule.id == "E3644" and _sold(match.message)
        missed |= match.rule.id == "E3628" and _sold_in(match.message, design.profile.region)
        # cfn-lint's lists of task governance types have gaps; rule HPE023 checks the Regions
        listed = match.rule.id == "E3006" and _governed(match.message, design.profile.region)
        # CDK's own kubectl provider has a redundant dependency on its roles
        doubled = match.rule.id == "W3005" and "KubectlProvider" in match.message
        if not any((named, missed, listed, doubled)):
            yield Finding(
                "an accepted profile's template passes cfn-lint", f"{match.rule.id}: {match.message[:300]}"
            )
