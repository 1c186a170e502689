"""Checks of an accepted profile that is deployed onto the embedded cloud in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from config.cluster import Cluster, load_cluster
from config.profile.deployment import DEFAULT_QUALIFIER
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.existing import create_declared
from scripts.cloud.assets import put_assets
from scripts.cloud.engine.stack import Stack
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.template.timing import creation_of, creation_path
from scripts.cloud.timeline import critical_path
from scripts.tools.deployment import deploy
from scripts.tools.fuzz.checks.templates import template_of
from scripts.tools.fuzz.finding import Finding

_CLOCK = "the simulated clock agrees with the template's timing"
_DEPLOYS = "an accepted profile deploys and is deleted"


def check_deployment(cluster: Cluster, text: str, base: Path, out: Path, assembly: Path) -> Iterator[Finding]:
    """Deploy a template after its data profile, and delete it; yield a finding for each failure.

    `assembly` is the folder of the template's assets.

    Raises:
        RehearsalError: the embedded cloud does not have the zone.
    """
    assert cluster.design is not None
    with local_cloud() as local:
        if cluster.data_profile is not None:
            data_profile = load_cluster(cluster.data_profile, base=base)
            yield from _deployed(
                local, data_profile, template_of(data_profile, out / "data_profile"), out / "data_profile"
            )
        yield from _deployed(local, cluster, text, assembly)
        yield from _deleted(local, cluster)


def _deployed(local: LocalCloud, cluster: Cluster, text: str, assembly: Path) -> Iterator[Finding]:
    assert cluster.design is not None
    region, name = cluster.design.profile.region, cluster.design.profile.name
    deployment = cluster.design.profile.deployment
    local.bootstrap(region, (deployment.qualifier if deployment else None) or DEFAULT_QUALIFIER)
    create_declared(local, cluster.design.profile)
    if '"S3Key"' in text:
        put_assets(local, region, assembly)
    status = deploy(local, text, region, name)
    if status != "CREATE_COMPLETE":
        stack = local.backend(region).stack(name)
        reasons = [f"{e.logical_id}: {e.reason}" for e in stack.events if "FAILED" in e.status]
        if any("knows no zone" in reason or "parameter availabilityZone" in reason for reason in reasons):
            raise RehearsalError(reasons[0])
        yield Finding(_DEPLOYS, f"{status}: {'; '.join(reasons)[:500]}")
        return
    yield from check_clock(local.backend(region).stack(name))


def check_clock(stack: Stack) -> Iterator[Finding]:
    """Yield a finding if the times on the simulated clock differ from the template's timing."""
    assert stack.template is not None
    clock = {span.logical_id: (span.begin_s, span.end_s) for span in stack.timeline}
    template = {one.logical_id: (one.begin_s, one.end_s) for one in creation_of(stack.template)}
    if clock != template:
        differing = sorted(
            name for name in clock.keys() | template.keys() if clock.get(name) != template.get(name)
        )
        yield Finding(_CLOCK, f"different times for {', '.join(differing)}"[:500])
    paths = [
        [one.logical_id for one in path] for path in (critical_path(stack), creation_path(stack.template))
    ]
    if paths[0] != paths[1]:
        yield Finding(_CLOCK, f"{' '.join(paths[0])}, not {' '.join(paths[1])}")


def _deleted(local: LocalCloud, cluster: Cluster) -> Iterator[Finding]:
    assert cluster.design is not None
    backend = local.backend(cluster.design.profile.region)
    stack = backend.stack(cluster.design.profile.name)
    stack.protected = False
    backend.delete(stack)
    if stack.status != "DELETE_COMPLETE":
        reasons = [f"{e.logical_id}: {e.reason}" for e in stack.events if e.status == "DELETE_FAILED"]
        yield Finding(_DEPLOYS, f"{stack.status}: {'; '.join(reasons)[:500]}")
