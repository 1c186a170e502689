"""What AWS PCS refuses of clusters, node groups and queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from config.catalog import catalog
from config.rules import deployed

from .registry import Refusal, Resource, rule

_CLUSTER, _GROUP, _QUEUE = "AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"
_PATH = Path(__file__).resolve().parents[1] / "data" / "pcs.yaml"
_LISTS = {_CLUSTER: "cluster", _GROUP: "group", _QUEUE: "queue"}


@lru_cache(maxsize=1)
def _facts() -> Mapping[str, Any]:
    facts: Mapping[str, Any] = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return facts


@rule(deployed.PCS_ONE_SUBNET, _CLUSTER)
def controller_has_one_subnet(resource: Resource) -> Iterator[Refusal]:
    """Networking/SubnetIds."""
    subnets = resource.get("Networking", "SubnetIds")
    if isinstance(subnets, list) and len(subnets) != 1:
        yield Refusal("Networking/SubnetIds", f"{len(subnets)} subnets, PCS takes 1", "keep one subnet")


@rule(deployed.PCS_VERSION, _CLUSTER)
def version_is_one_that_is_created(resource: Resource) -> Iterator[Refusal]:
    """Scheduler/Version."""
    version, known = resource.get("Scheduler", "Version"), _facts()["versions"]
    if version is not None and version not in known:
        yield Refusal("Scheduler/Version", f"Slurm {version} is not created", f"use {', '.join(known)}")


@rule(deployed.PCS_PURGE, _CLUSTER)
def records_are_kept(resource: Resource) -> Iterator[Refusal]:
    """Accounting/DefaultPurgeTimeInDays."""
    path = ("SlurmConfiguration", "Accounting", "DefaultPurgeTimeInDays")
    if resource.get(*path) == 0:
        yield Refusal("/".join(path), "0 days", "write -1 to keep records for ever, or 1 and more")


@rule(deployed.PCS_OUTPUTS, _CLUSTER)
def outputs_are_not_given(resource: Resource) -> Iterator[Refusal]:
    """AuthKey and JwtAuth."""
    for name in ("AuthKey", "JwtAuth"):
        if resource.get("SlurmConfiguration", name) is not None:
            yield Refusal(f"SlurmConfiguration/{name}", "PCS makes it itself", f"take {name} out")


@rule(deployed.PCS_PARAMETERS, _CLUSTER, _GROUP, _QUEUE)
def settings_are_let_through(resource: Resource) -> Iterator[Refusal]:
    """SlurmCustomSettings against the list of the resource."""
    path = "SlurmConfiguration/SlurmCustomSettings"
    settings = resource.get("SlurmConfiguration", "SlurmCustomSettings")
    if settings == []:
        yield Refusal(path, "the list is empty", "take SlurmCustomSettings out")
    known = set(_facts()[_LISTS[resource.type]].split())
    for number, setting in enumerate(settings if isinstance(settings, list) else ()):
        name = setting.get("ParameterName")
        if name not in known:
            told = f"{name} cannot be set on a {_LISTS[resource.type]}"
            yield Refusal(f"{path}/{number}/ParameterName", told, "take it out")


@rule(deployed.PCS_SCALING, _GROUP)
def scaling_is_static_or_dynamic(resource: Resource) -> Iterator[Refusal]:
    """ScalingConfiguration."""
    least = resource.get("ScalingConfiguration", "MinInstanceCount")
    most = resource.get("ScalingConfiguration", "MaxInstanceCount")
    if isinstance(least, int) and isinstance(most, int) and not (0 < least == most or least == 0 < most):
        yield Refusal(
            "ScalingConfiguration",
            f"from {least} to {most} instances",
            f"write {most} and {most} for static capacity, or 0 and {most or 1} for dynamic",
        )


@rule(deployed.PCS_BLOCK_TEMPLATE, _GROUP)
def blocks_have_a_launch_template(resource: Resource) -> Iterator[Refusal]:
    """PurchaseOption CAPACITY_BLOCK."""
    blocked = resource.get("PurchaseOption") == "CAPACITY_BLOCK"
    if blocked and resource.properties.get("CustomLaunchTemplate") is None:
        yield Refusal(
            "CustomLaunchTemplate",
            "none, beside PurchaseOption CAPACITY_BLOCK",
            "add one with MarketType capacity-block and the reservation's id",
        )


@rule(deployed.PCS_SPOT_OPTIONS, _GROUP)
def spot_options_stand_on_spot(resource: Resource) -> Iterator[Refusal]:
    """SpotOptions."""
    option = resource.get("PurchaseOption") or "ONDEMAND"
    if resource.get("SpotOptions") is not None and option != "SPOT":
        yield Refusal("SpotOptions", f"beside PurchaseOption {option}", "take SpotOptions out, or write SPOT")


@rule(deployed.PCS_ALIKE, _GROUP)
def instance_types_are_alike(resource: Resource) -> Iterator[Refusal]:
    """InstanceConfigs."""
    configs = resource.get("InstanceConfigs")
    names = [config.get("InstanceType") for config in configs] if isinstance(configs, list) else []
    found = [instance for instance in map(catalog().instance, map(str, names)) if instance is not None]
    kinds = {(i.arch, i.vcpus, i.gpu.count if i.gpu else 0) for i in found}
    if len(kinds) > 1:
        told = "; ".join(
            f"{i.name}: {i.arch}, {i.vcpus} vCPUs, {i.gpu.count if i.gpu else 0} GPUs" for i in found
        )
        yield Refusal("InstanceConfigs", told, "make a group of each")


RULES = (
    controller_has_one_subnet,
    version_is_one_that_is_created,
    records_are_kept,
    outputs_are_not_given,
    settings_are_let_through,
    scaling_is_static_or_dynamic,
    blocks_have_a_launch_template,
    spot_options_stand_on_spot,
    instance_types_are_alike,
)
