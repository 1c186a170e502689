"""Network interfaces of services, which prevent the deletion of subnets and security groups.

`USERS` has one function for each service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from moto.awslambda.utils import get_backend as lambda_backend
from moto.ec2.models import ec2_backends
from moto.fsx.models import fsx_backends
from moto.rds.models import rds_backends
from moto.sagemaker.models import sagemaker_backends

from .existence import launch_template_data
from .kubernetes.eks_records import EksRecords
from .observability.grafana import GrafanaService
from .observability.prometheus_records import PrometheusRecords
from .records import Record
from .slurm.databases import subnet_group_of
from .slurm.pcs import PcsService


@dataclass(frozen=True, kw_only=True)
class Use:
    """A resource that has interfaces in a network; `owner` is the resource's name in error messages."""

    owner: str
    subnets: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    placement_group: str | None = None


def uses(account: str, region: str) -> Iterator[Use]:
    """Yield each resource with interfaces in the networks of an account and Region."""
    for user in USERS:
        yield from user(account, region)


def _interfaces(account: str, region: str) -> Iterator[Use]:
    """Yield the interfaces of NAT gateways and endpoints, and interfaces that a client created."""
    for interface in list(ec2_backends[account][region].enis.values()):
        groups = tuple(group.id for group in interface.group_set)
        yield Use(owner=f"interface {interface.id}", subnets=(interface.subnet.id,), groups=groups)


def _endpoints(account: str, region: str) -> Iterator[Use]:
    for endpoint in list(ec2_backends[account][region].vpc_end_points.values()):
        if endpoint.state != "deleted":
            groups, subnets = tuple(endpoint.security_group_ids), tuple(endpoint.subnet_ids or ())
            yield Use(owner=f"endpoint {endpoint.id}", subnets=subnets, groups=groups)


def _file_systems(account: str, region: str) -> Iterator[Use]:
    for system in list(fsx_backends[account][region].file_systems.values()):
        yield Use(
            owner=f"file system {system.file_system_id}",
            subnets=tuple(system.subnet_ids),
            groups=tuple(system.security_group_ids or ()),
        )


def _hyperpod(account: str, region: str) -> Iterator[Use]:
    """Yield the nodes of each group; they are in the group's network if it has one, or in the cluster's."""
    clusters: Any = sagemaker_backends[account][region].clusters
    for cluster in list(clusters.values()):
        for group in cluster.groups.values():
            network = group.get("OverrideVpcConfig") or cluster.settings.get("VpcConfig")
            if network and group["InstanceCount"]:
                yield Use(
                    owner=f"HyperPod cluster {cluster.cluster_name}",
                    subnets=tuple(network["Subnets"]),
                    groups=tuple(network["SecurityGroupIds"]),
                )


def _eks_clusters(account: str, region: str) -> Iterator[Use]:
    for cluster in list(EksRecords.records(account, region, "clusters").values()):
        network = cluster["resourcesVpcConfig"]
        groups = (*network["securityGroupIds"], network["clusterSecurityGroupId"])
        yield Use(owner=f"EKS cluster {cluster['name']}", subnets=tuple(network["subnetIds"]), groups=groups)


def _eks_nodes(account: str, region: str) -> Iterator[Use]:
    for group in list(EksRecords.records(account, region, "nodegroups").values()):
        if group.get("scalingConfig", {}).get("desiredSize", 1):
            template = launch_template_data(account, region, group.get("launchTemplate") or {})
            yield _nodes(f"EKS node group {group['nodegroupName']}", group["subnets"], template)


def _pcs_clusters(account: str, region: str) -> Iterator[Use]:
    for cluster in list(PcsService.records(account, region, "clusters").values()):
        network = cluster["networking"]
        yield Use(
            owner=f"PCS cluster {cluster['name']}",
            subnets=tuple(network["subnetIds"]),
            groups=tuple(network["securityGroupIds"]),
        )


def _pcs_nodes(account: str, region: str) -> Iterator[Use]:
    """Yield the nodes of each group; a dynamic group may have no nodes."""
    for group in list(PcsService.records(account, region, "groups").values()):
        if group["scalingConfiguration"]["minInstanceCount"]:
            template = launch_template_data(account, region, group.get("customLaunchTemplate") or {})
            yield _nodes(f"PCS compute node group {group['name']}", group["subnetIds"], template)


def _nodes(owner: str, subnets: list[str], template: Any) -> Use:
    data: Record = template or {}
    groups = list(data.get("SecurityGroupIds") or [])
    for interface in data.get("NetworkInterfaces") or []:
        groups += interface.get("Groups") or []
    placement_group = (data.get("Placement") or {}).get("GroupName")
    return Use(owner=owner, subnets=tuple(subnets), groups=tuple(groups), placement_group=placement_group)


def _databases(account: str, region: str) -> Iterator[Use]:
    """Yield the database instances; an instance that belongs to a cluster uses the cluster's network."""
    rds: Any = rds_backends[account][region]
    for database in list(rds.databases.values()):
        of = rds.clusters.get(database.db_cluster_identifier or "", database)
        group = rds.subnet_groups.get(subnet_group_of(of) or "")
        yield Use(
            owner=f"database {database.db_instance_identifier}",
            subnets=tuple(subnet["SubnetIdentifier"] for subnet in group.subnets) if group else (),
            groups=tuple(of.vpc_security_group_ids or ()),
        )


def _functions(account: str, region: str) -> Iterator[Use]:
    for function in lambda_backend(account, region).list_functions():
        network = function.vpc_config or {}
        yield Use(
            owner=f"function {function.function_name}",
            subnets=tuple(network.get("SubnetIds") or ()),
            groups=tuple(network.get("SecurityGroupIds") or ()),
        )


def _grafana(account: str, region: str) -> Iterator[Use]:
    for workspace in list(GrafanaService.records(account, region, "workspaces").values()):
        network = workspace.get("vpcConfiguration")
        if network:
            yield _configured(f"Grafana workspace {workspace['id']}", network)


def _scrapers(account: str, region: str) -> Iterator[Use]:
    for scraper in list(PrometheusRecords.records(account, region, "scrapers").values()):
        for network in scraper["source"].values():
            yield _configured(f"scraper {scraper['scraperId']}", network)


def _configured(owner: str, network: Record) -> Use:
    groups = tuple(network.get("securityGroupIds") or ())
    return Use(owner=owner, subnets=tuple(network["subnetIds"]), groups=groups)


USERS: tuple[Callable[[str, str], Iterator[Use]], ...] = (
    _interfaces,
    _endpoints,
    _file_systems,
    _hyperpod,
    _eks_clusters,
    _eks_nodes,
    _pcs_clusters,
    _pcs_nodes,
    _databases,
    _functions,
    _grafana,
    _scrapers,
)
