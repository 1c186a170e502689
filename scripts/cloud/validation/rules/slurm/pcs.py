"""Template rules for AWS PCS clusters, queues and Slurm settings."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.slurm.slurm_values import slurm_values
from config.rules.deployed import pcs as codes
from scripts.cloud.validation.rules.reading import number_at, structures_at, text_at, texts_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .pcs_facts import CLUSTER, GROUP, KINDS, QUEUE, cluster_of, is_older, versions

_SETTINGS = ("SlurmConfiguration", "SlurmCustomSettings")


@rule(codes.ONE_SUBNET, CLUSTER)
def controller_has_one_subnet(resource: Resource) -> Iterator[Violation]:
    """Check the number of Networking/SubnetIds."""
    subnets = value_at(resource.properties, "Networking", "SubnetIds")
    if isinstance(subnets, list) and len(subnets) != 1:
        yield Violation(
            "Networking/SubnetIds",
            f"the cluster has {len(subnets)} subnets, but PCS supports 1",
            "keep one subnet",
        )


@rule(codes.PLACE, CLUSTER)
def controller_stands_where_pcs_is(resource: Resource) -> Iterator[Violation]:
    """Check the zone and the VPC of the controller's subnet, if the stack creates them."""
    for number, subnet_id in texts_at(resource.properties, "Networking", "SubnetIds"):
        subnet, path = resource.named(subnet_id, "AWS::EC2::Subnet"), f"Networking/SubnetIds/{number}"
        if subnet is None:
            continue
        declared = [text_at(subnet.properties, name) for name in ("AvailabilityZoneId", "AvailabilityZone")]
        zone = next((catalog().zone(name) for name in declared if name), None)
        if zone is not None and not zone.pcs:
            yield Violation(
                path,
                f"PCS does not support a subnet in {zone.name or zone.zone_id}",
                "use a subnet in an Availability Zone of the Region",
            )
        vpc = resource.named(subnet.properties.get("VpcId"), "AWS::EC2::VPC")
        tenancy = text_at(vpc.properties, "InstanceTenancy") if vpc else None
        if tenancy not in (None, "default"):
            yield Violation(
                path, f"the subnet's VPC has {tenancy} tenancy", "create the VPC with default tenancy"
            )


@rule(codes.VERSION, CLUSTER)
def version_is_one_that_is_created(resource: Resource) -> Iterator[Violation]:
    """Check that PCS still creates clusters of the Slurm version in Scheduler/Version."""
    version, known = value_at(resource.properties, "Scheduler", "Version"), versions()
    if version is not None and version not in known:
        yield Violation(
            "Scheduler/Version",
            f"PCS does not create clusters with Slurm {version}",
            f"set Version to {' or '.join(known)}",
        )


@rule(codes.PURGE, CLUSTER)
def records_are_kept(resource: Resource) -> Iterator[Violation]:
    """Check Accounting/DefaultPurgeTimeInDays."""
    path = ("SlurmConfiguration", "Accounting", "DefaultPurgeTimeInDays")
    if number_at(resource.properties, *path) == 0:
        yield Violation(
            "/".join(path),
            "a retention of 0 days is not valid",
            "set 1 day or more, or -1 to keep records permanently",
        )


@rule(codes.OUTPUTS, CLUSTER)
def outputs_are_not_given(resource: Resource) -> Iterator[Violation]:
    """Check that AuthKey and JwtAuth, which PCS returns, are not set."""
    for name in ("AuthKey", "JwtAuth"):
        if value_at(resource.properties, "SlurmConfiguration", name) is not None:
            yield Violation(
                f"SlurmConfiguration/{name}",
                f"PCS generates {name} and does not accept a value",
                f"remove {name}",
            )


@rule(codes.PARAMETERS, CLUSTER, GROUP, QUEUE)
def settings_are_let_through(resource: Resource) -> Iterator[Violation]:
    """Check SlurmCustomSettings against the settings that PCS supports, and their values."""
    path, kind = "/".join(_SETTINGS), KINDS[resource.type]
    if value_at(resource.properties, *_SETTINGS) == []:
        yield Violation(path, "the list is empty", "remove SlurmCustomSettings")
    known, values = catalog().pcs.settings[kind], slurm_values().values[kind]
    for number, setting in structures_at(resource.properties, *_SETTINGS):
        name, value = text_at(setting, "ParameterName"), text_at(setting, "ParameterValue") or ""
        if name is not None and name not in known:
            yield Violation(
                f"{path}/{number}/ParameterName", f"{name} cannot be set on a {kind}", f"remove {name}"
            )
        elif name is not None and value and (hint := values[name].hint_for(value.strip())):
            yield Violation(
                f"{path}/{number}/ParameterValue", f"{value!r} is not a valid value of {name}", hint
            )


@rule(codes.NEWER_SLURM, CLUSTER, GROUP)
def slurm_is_new_enough(resource: Resource) -> Iterator[Violation]:
    """Report settings that the cluster's Slurm version does not support yet."""
    cluster = cluster_of(resource)
    home = resource.properties if resource.type == CLUSTER else cluster.properties if cluster else {}
    version, slurm = text_at(home, "Scheduler", "Version"), "SlurmConfiguration"
    requested = {
        f"{slurm}/SlurmRest/Mode": (
            text_at(resource.properties, slurm, "SlurmRest", "Mode") == "STANDARD",
            catalog().pcs.rest_api_since,
        ),
        f"{slurm}/ScaleDownIdleTimeInSeconds": (
            resource.type == GROUP and number_at(resource.properties, slurm, "ScaleDownIdleTimeInSeconds"),
            catalog().pcs.group_idle_time_since,
        ),
    }
    for number, setting in structures_at(resource.properties, *_SETTINGS):
        name, value = text_at(setting, "ParameterName") or "", text_at(setting, "ParameterValue") or ""
        came_with = catalog().pcs.came_with(KINDS[resource.type], name, value)
        if came_with is not None:
            requested[f"{'/'.join(_SETTINGS)}/{number}"] = (True, came_with)
    for path, (is_requested, came_with) in requested.items():
        if is_requested and is_older(version, came_with):
            message = f"this setting requires Slurm {came_with}, but the cluster runs {version}"
            yield Violation(path, message, f"remove the setting, or set Version: '{came_with}'")


@rule(codes.QUOTAS, GROUP, QUEUE)
def cluster_is_not_full(resource: Resource) -> Iterator[Violation]:
    """Check the number of groups and queues of one cluster."""
    own, kind = resource.properties.get("ClusterId"), f"{KINDS[resource.type]}s"
    facts = catalog().pcs
    number = sum(other.properties.get("ClusterId") == own for other in resource.of_type(resource.type))
    most = facts.max_groups if resource.type == GROUP else facts.max_queues
    if number >= most:
        yield Violation(
            "ClusterId",
            f"the cluster already has {number} {kind}, but the maximum is {most}",
            f"use an existing {KINDS[resource.type]}",
        )
