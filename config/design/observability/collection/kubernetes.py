"""Exporters and the agent, which collect metrics in a Kubernetes cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from config.catalog.observability.metrics import metrics
from config.design.capacity.groups import GroupPlan
from config.design.collector import collector_of
from config.design.kubernetes.csi import partition_of
from config.design.kubernetes.devices import by_dra
from config.design.kubernetes.model import IdentityPlan, Part
from config.design.kubernetes.scheduler.placement import Placement, placement_of
from config.design.kubernetes.steps import Manifest, Object, Step, later
from config.design.observability.collection import agent, fsx, pods
from config.design.observability.collection.exporter_charts import (
    dcgm_exporter,
    kube_state_metrics,
    node_exporter,
)
from config.design.observability.collection.measured import measured
from config.design.observability.collection.scrape import (
    NAMESPACE,
    Targets,
    agent_configuration,
    scraper_configuration,
)
from config.design.observability.model import Measured
from config.profile.model import Profile
from config.profile.observability.metrics import Collection
from config.profile.orchestrator import Eks, HyperPodEks

NAMESPACE_STEP = "monitoring"
"""Name of the step that creates the namespace of the exporters."""

_CLOUDWATCH = "cloudwatch-exporter"
_CLOUDWATCH_IDENTITY = IdentityPlan(
    name=_CLOUDWATCH, namespace=NAMESPACE, service_account=_CLOUDWATCH, statements=fsx.STATEMENTS
)


def collection_part(profile: Profile, groups: Sequence[GroupPlan], file_systems: Sequence[str]) -> Part:
    """Return the exporters and, with `collector: agent`, the agent; empty with `collector: none`.

    `file_systems`: names of the FSx for Lustre file systems.
    """
    collector, found = collector_of(profile), measured(profile, groups, lustre=bool(file_systems))
    if collector == "none":
        return Part()
    placement = placement_of(tuple(groups))
    steps: list[Step] = [Manifest(name=NAMESPACE_STEP, objects=(_namespace(),))]
    steps += _exporters(profile, groups, found, placement)
    identities: list[IdentityPlan | None] = []
    if "fsx" in found.exporters:
        steps.append(_after(_CLOUDWATCH, _cloudwatch_exporter(profile.region, placement)))
        identities.append(_CLOUDWATCH_IDENTITY)
    if collector == "agent":
        prometheus = profile.observability.prometheus if profile.observability else None
        assert prometheus is not None
        written = agent.remote_write(prometheus, profile.region)
        objects = agent.manifests(
            agent_configuration(found, _targets(profile, file_systems), written),
            prometheus,
            profile.region,
            placement,
            nodes=sum(group.count for group in groups),
        )
        steps.append(_after(agent.NAME, objects))
        identities.append(agent.identity(prometheus, partition_of(profile.region)))
    return Part(steps=tuple(steps), identities=tuple(one for one in identities if one is not None))


def scraper_text(profile: Profile, groups: Sequence[GroupPlan], file_systems: Sequence[str]) -> str:
    """Return the configuration of the AMP managed collector, with placeholders for ids (`later`)."""
    found = measured(profile, groups, lustre=bool(file_systems))
    return json.dumps(scraper_configuration(found, _targets(profile, file_systems)), indent=1)


def _targets(profile: Profile, file_systems: Sequence[str]) -> Targets:
    declared = profile.observability.collection if profile.observability else Collection()
    return Targets(
        application_port=declared.application_port,
        file_system_ids=tuple(later("file-system-id", name) for name in file_systems),
    )


def _after(name: str, objects: tuple[Object, ...]) -> Manifest:
    return Manifest(name=name, objects=objects, after=(NAMESPACE_STEP,))


def _namespace() -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def _exporters(
    profile: Profile, groups: Sequence[GroupPlan], found: Measured, placement: Placement
) -> Iterator[Step]:
    plane = profile.orchestrator
    assert isinstance(plane, Eks | HyperPodEks)
    after = (NAMESPACE_STEP,)
    yield node_exporter(found, after)
    if "dcgm" in found.exporters:
        prefix = "ml." if isinstance(plane, HyperPodEks) else ""
        yield dcgm_exporter(
            found,
            after,
            types=[f"{prefix}{nodes.instance_type}" for nodes in found.gpu_nodes],
            dra=any(by_dra(plane, group) for group in groups),
            bottlerocket=isinstance(plane, Eks) and plane.node_image.family == "bottlerocket",
        )
    yield kube_state_metrics(found, placement, after)


def _cloudwatch_exporter(region: str, placement: Placement) -> tuple[Object, ...]:
    exporter = metrics().exporters["fsx"]
    files = {"config.yml": json.dumps(fsx.exporter_config(region), indent=1)}
    container = pods.container(
        "exporter",
        str(exporter.image),
        fsx.arguments("/etc/yace/config.yml", f":{exporter.port}"),
        port=exporter.port,
        mounts={"config": "/etc/yace"},
    )
    return (
        pods.service_account(_CLOUDWATCH),
        pods.config_map(_CLOUDWATCH, files),
        pods.deployment(_CLOUDWATCH, placement, [container], config=files),
    )
