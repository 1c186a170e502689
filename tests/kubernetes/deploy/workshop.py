"""A cluster of EKS on the embedded cloud, with steps that a test puts into it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, cast

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_iam as iam

from scripts.cloud.assets import put_assets
from scripts.cloud.engine.stack import Stack
from scripts.cloud.kubernetes.contents import Contents
from scripts.cloud.local import LocalCloud
from ultracluster.kubernetes.kubectl_layer import add_kubectl_layer
from ultracluster.kubernetes.steps import (
    ChartFrom,
    KubernetesSteps,
    KubernetesStepsProps,
    ObjectsStep,
    ReleaseStep,
    WaitStep,
)

REGION = "us-east-1"
VERSION = "1.35"
NODES = "nodes"
Step = ReleaseStep | ObjectsStep | WaitStep
_numbers = count()


def release(name: str = "kueue", **more: Any) -> ReleaseStep:
    """A release of a chart that the lock file has."""
    chart = {
        "kueue": ChartFrom(repository="oci://registry.k8s.io/kueue/charts/kueue", version="0.19.2"),
        "volcano": ChartFrom(
            repository="https://volcano-sh.github.io/helm-charts", chart="volcano", version="1.15.1"
        ),
        "kai-scheduler": ChartFrom(
            repository="oci://ghcr.io/kai-scheduler/kai-scheduler/kai-scheduler", version="v0.17.0"
        ),
        "jobset": ChartFrom(repository="oci://registry.k8s.io/jobset/charts/jobset", version="0.12.0"),
    }[name]
    defaults: dict[str, Any] = {"chart": chart, "namespace": f"{name}-system", "values": {}, "after": [NODES]}
    return ReleaseStep(name=name, **{**defaults, **more})


def objects(*found: Mapping[str, Any], name: str = "objects", after: Sequence[str] = ()) -> ObjectsStep:
    return ObjectsStep(name=name, objects=found, after=after)


def topology(name: str = "p6", **spec: Any) -> dict[str, Any]:
    levels = [{"nodeLabel": "kubernetes.io/hostname"}]
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Topology",
        "metadata": {"name": name},
        "spec": {"levels": levels, **spec},
    }


def config_map(name: str = "settings", namespace: str = "default", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}, **more}


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


@dataclass
class Cluster:
    """A stack with a cluster, two nodes, and steps, deployed again and again."""

    cloud: LocalCloud
    nodes: bool = True
    version: str = VERSION
    name: str = field(default_factory=lambda: f"cluster-{next(_numbers)}")

    def deploy(self, *steps: Step, change: Any = None) -> Stack:
        """Deploy the steps; `change` may edit the template before."""
        folder, template = _assembly(self.cloud, self.name, self.nodes, self.version, steps)
        put_assets(self.cloud, REGION, folder)
        if change:
            change(template)
        found: Stack = self.cloud.deploy(REGION, self.name, json.dumps(template))
        return found

    def destroy(self) -> Stack:
        """Delete the stack."""
        backend = self.cloud.backend(REGION)
        stack: Stack = next(s for s in backend.stacks.values() if s.name == self.name)
        backend.delete(stack)
        return stack

    @property
    def contents(self) -> Contents:
        return self.cloud.kubernetes(REGION, self.name)

    def refusal(self, *steps: Step, change: Any = None) -> str:
        """Why a deployment fails: the reason of the first resource that does."""
        stack = self.deploy(*steps, change=change)
        assert stack.status in ("ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"), stack.status
        reasons = (e.reason for e in stack.events if e.status.endswith("_FAILED") and e.reason)
        # the function gives what kubectl said as Python writes bytes
        return next(reasons).replace("\\'", "'")


def _assembly(
    cloud: LocalCloud, name: str, nodes: bool, version: str, steps: Sequence[Step]
) -> tuple[Path, dict[str, Any]]:
    app = cdk.App(analytics_reporting=False, outdir=tempfile.mkdtemp())
    stack = cdk.Stack(app, name, env=cdk.Environment(region=REGION))
    subnets = _subnets(cloud)
    private = [
        ec2.Subnet.from_subnet_attributes(stack, f"Subnet{i}", subnet_id=one, route_table_id="unknown")
        for i, one in enumerate(subnets)
    ]
    cluster = eks.Cluster(
        stack,
        "Cluster",
        cluster_name=name,
        version=eks.KubernetesVersion.of(version),
        vpc=ec2.Vpc.from_vpc_attributes(stack, "Vpc", vpc_id=_vpc(cloud), availability_zones=["unknown"]),
        vpc_subnets=[ec2.SubnetSelection(subnets=private)],
        default_capacity_type=eks.DefaultCapacityType.NODEGROUP,
        default_capacity=0,
        kubectl_provider_options=eks.KubectlProviderOptions(
            kubectl_layer=add_kubectl_layer(stack, "Layer", version), private_subnets=private
        ),
    )
    group = _node_group(stack, cluster, subnets) if nodes else None
    props = KubernetesStepsProps(
        cluster=cast(eks.ICluster, cluster), steps=steps, outside={NODES: [group] if group else []}
    )
    KubernetesSteps(stack, "Steps", props)
    assembly = app.synth()
    return Path(assembly.directory), assembly.get_stack_by_name(name).template


def _node_group(stack: cdk.Stack, cluster: eks.Cluster, subnets: Sequence[str]) -> cdk.CfnResource:
    role = iam.Role(stack, "NodeRole", assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"))
    return cdk.CfnResource(
        stack,
        "Nodes",
        type="AWS::EKS::Nodegroup",
        properties={
            "ClusterName": cluster.cluster_name,
            "NodeRole": role.role_arn,
            "Subnets": list(subnets),
            "AmiType": "AL2023_x86_64_STANDARD",
            "InstanceTypes": ["m5.large"],
            "ScalingConfig": {"MinSize": 2, "DesiredSize": 2, "MaxSize": 2},
        },
    )


def _vpc(cloud: LocalCloud) -> str:
    found: str = cloud.client("ec2", REGION).describe_vpcs()["Vpcs"][0]["VpcId"]
    return found


def _subnets(cloud: LocalCloud) -> list[str]:
    found = cloud.client("ec2", REGION).describe_subnets()["Subnets"]
    return sorted(one["SubnetId"] for one in found)[:2]
