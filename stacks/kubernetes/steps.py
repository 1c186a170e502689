"""Contents of a Kubernetes cluster, with construct props from the steps; placeholders are replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IDependable

from config.design.kubernetes.charts import plan_chart
from config.design.kubernetes.steps import HYPERPOD, NODES, Manifest, Release, Step, Wait, filled
from config.design.model import Design
from config.profile.kubernetes.base import Kubernetes
from stacks.common import tags_of
from stacks.foundation import Foundation
from ultracluster.kubernetes.eks_cluster import EksCluster
from ultracluster.kubernetes.git_chart import GitChart, GitChartProps
from ultracluster.kubernetes.steps import (
    ChartFrom,
    KubernetesSteps,
    KubernetesStepsProps,
    ObjectsStep,
    ReleaseStep,
    WaitStep,
)

Lookup = Callable[[str, str], str]
"""A function that returns the value of a placeholder for its kind and name."""


def add_steps(
    scope: Construct,
    design: Design,
    steps: Sequence[Step],
    eks: EksCluster,
    kubectl_layer: lambda_.ILayerVersion,
    lookup: Lookup,
    *,
    nodes: Sequence[IDependable] = (),
    hyperpod: Sequence[IDependable] = (),
    further: Mapping[str, Sequence[IDependable]] | None = None,
) -> KubernetesSteps:
    """Add the steps to a cluster; `kubectl_layer` contains kubectl and Helm.

    `lookup` returns the values of placeholders (see `stack_values`). `nodes`, `hyperpod` and `further` are
    resources that steps can depend on; `further` has them by name, such as add-ons.
    """
    wanted = dict.fromkeys(step.chart for step in steps if isinstance(step, Release))
    charts = {name: _chart(scope, design, name, eks, kubectl_layer) for name in wanted}
    made = [
        _release(step, charts[step.chart], lookup) if isinstance(step, Release) else _other(step, lookup)
        for step in steps
    ]
    outside = {NODES: nodes, HYPERPOD: hyperpod, **(further or {})}
    props = KubernetesStepsProps(cluster=eks.cluster, steps=made, outside=outside)
    return KubernetesSteps(scope, "Steps", props)


def _other(step: Manifest | Wait, lookup: Lookup) -> ObjectsStep | WaitStep:
    if isinstance(step, Manifest):
        return ObjectsStep(name=step.name, objects=_objects(step, lookup), after=step.after)
    return WaitStep(
        name=step.name,
        kind=step.kind,
        object_name=step.object_name,
        namespace=step.namespace,
        path=step.path,
        after=step.after,
        timeout_minutes=step.timeout_minutes,
    )


def _objects(step: Manifest, lookup: Lookup) -> list[Mapping[str, object]]:
    return [filled(one, lookup) for one in step.objects]


def _release(step: Release, chart: ChartFrom, lookup: Lookup) -> ReleaseStep:
    return ReleaseStep(
        name=step.name,
        chart=chart,
        namespace=step.namespace,
        values=filled(step.values, lookup),
        after=step.after,
        timeout_minutes=step.timeout_minutes,
        wait=step.wait,
    )


def _chart(
    scope: Construct, design: Design, name: str, eks: EksCluster, kubectl_layer: lambda_.ILayerVersion
) -> ChartFrom:
    kubernetes = design.profile.orchestrator
    assert isinstance(kubernetes, Kubernetes)
    plan = plan_chart(name, kubernetes.charts, design.chart_folder)
    if plan.folder is not None:
        return ChartFrom(folder=plan.folder)
    if plan.commit is None:
        return ChartFrom(repository=plan.repository, chart=plan.chart, version=plan.version)
    assert plan.repository is not None
    assert plan.path is not None
    provider = eks.cluster.kubectl_provider
    assert provider is not None
    assert provider.role is not None
    props = GitChartProps(
        name=design.profile.name,
        repository=plan.repository,
        commit=plan.commit,
        path=plan.path,
        helm_layer_arn=kubectl_layer.layer_version_arn,
        reader_role_name=provider.role.role_name,
        tags=tags_of(design.profile),
    )
    chart = GitChart(scope, f"Chart-{name}", props)
    return ChartFrom(archive=chart.archive, archive_ready=chart.ready)


def stack_values(on: Foundation, eks: EksCluster, further: Lookup | None = None) -> Lookup:
    """Return a lookup of placeholder values in a stack; it calls `further` for other placeholders."""
    node_network, storage = on.node_network, on.storage
    values: dict[tuple[str, str], str] = {
        ("region", ""): on.design.profile.region,
        ("cluster-name", ""): eks.cluster_name,
        ("cluster-arn", ""): eks.cluster_arn,
        ("vpc-id", ""): node_network.vpc_id,
        ("security-group-id", "nodes"): node_network.node_security_group_id,
        ("security-group-id", "cluster"): eks.cluster_security_group_id,
        ("express-bucket-name", ""): storage.express_bucket_name or "",
        **{("subnet-id", name): one for name, one in node_network.subnet_ids.items()},
    }
    for system in storage.file_systems:
        values["file-system-id", system.plan.name] = system.file_system_id
        values["file-system-dns-name", system.plan.name] = system.dns_name
        values["file-system-mount-name", system.plan.name] = system.mount_name
    if storage.home is not None:
        values["home-id", ""] = storage.home.file_system_id
        values["home-dns-name", ""] = storage.home.dns_name

    def lookup(kind: str, name: str) -> str:
        if value := values.get((kind, name)):
            return value
        if further is None:
            raise ValueError(f"this stack has no value for {kind} {name}".rstrip())
        return further(kind, name)

    return lookup
