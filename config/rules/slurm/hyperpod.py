"""Rules for HyperPod: provisioning, instance types, keys, images and deep health checks."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import InstanceType, catalog
from config.design.model import Design
from config.profile.capacity.groups import Group
from config.profile.orchestrator import HyperPodEks, HyperPodSlurm
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_CONTINUOUS = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-scaling-slurm.html"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference"
_GROUP = f"{_API}/API_ClusterInstanceGroupSpecification.html"
_ORCHESTRATOR = ("orchestrator",)


def slurm_of(design: Design) -> HyperPodSlurm | None:
    """Return the profile's control plane, None if it is not HyperPod with Slurm."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, HyperPodSlurm) else None


def hyperpod_of(design: Design) -> HyperPodSlurm | HyperPodEks | None:
    """Return the profile's control plane, None if it is not HyperPod."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, HyperPodSlurm | HyperPodEks) else None


@rule(
    "HYP001", ERROR, "continuous provisioning has no `slurm_config_strategy`",
    why="Continuous provisioning always merges changes into slurm.conf. With continuous provisioning, HyperPod rejects "
    "`slurm_config_strategy`, even `merge`.",
    source=_CONTINUOUS, reads="orchestrator", where="continuous",
)  # fmt: skip
def continuous_has_no_strategy(design: Design) -> Iterator[Finding]:
    """Check that `slurm_config_strategy` is not set with continuous provisioning."""
    slurm = slurm_of(design)
    if slurm and slurm.provisioning == "continuous" and slurm.slurm_config_strategy is not None:
        yield Finding(
            at=(*_ORCHESTRATOR, "slurm_config_strategy"),
            message=f"`slurm_config_strategy: {slurm.slurm_config_strategy}` is not allowed with continuous provisioning",
            hint="set `slurm_config_strategy: null` or `provisioning: all-at-once`",
        )


@rule(
    "HYP002", ERROR, "settings that require continuous provisioning are used only with continuous provisioning",
    why="HyperPod rejects a minimum count, fallback instance types and an external accounting database without continuous provisioning.",
    source=_GROUP, reads="compute orchestrator", where="min_count fallback_instance_types accounting",
)  # fmt: skip
def continuous_only_settings_are_continuous(design: Design) -> Iterator[Finding]:
    """Check `min_count`, `fallback_instance_types` and `accounting` without continuous provisioning."""
    hyperpod = hyperpod_of(design)
    if hyperpod is None or hyperpod.provisioning == "continuous":
        return
    slurm = slurm_of(design)
    another = " (this replaces the cluster)" if slurm else ""
    hint = f"set `provisioning: continuous`{another}, or remove"
    if slurm and slurm.accounting is not None:
        message = "an accounting database outside of the controller requires `provisioning: continuous`"
        yield Finding(at=(*_ORCHESTRATOR, "accounting"), message=message, hint=f"{hint} `accounting`")
    for at, group in design.placed_groups:
        for key in ("min_count", "fallback_instance_types"):
            if getattr(group, key):
                message = f"`{key}` of group {group.name} requires `provisioning: continuous`"
                yield Finding(at=(*at, key), message=message, hint=f"{hint} `{key}`")


@rule(
    "HYP003", ERROR, "a group's `min_count` is at most its `count`",
    why="If a group has fewer nodes than its minimum after 3 hours, HyperPod scales it back to 0 nodes.",
    source=_GROUP, reads="compute", where="min_count",
)  # fmt: skip
def min_count_is_at_most_count(design: Design) -> Iterator[Finding]:
    """Check `min_count` against `count`."""
    for at, group in design.placed_groups:
        if group.min_count is not None and group.min_count > group.count:
            yield Finding(
                at=(*at, "min_count"),
                message=f"group {group.name} has `min_count: {group.min_count}`, but only `count: {group.count}`",
                hint=f"set `min_count: {group.count}` or less, or remove `min_count`"
                if group.count
                else "remove `min_count`",
            )


@rule(
    "HYP004", ERROR, "the fallback instance types can run the group",
    why="All nodes of a group have one image and one set of scripts, so HyperPod cannot add a type of another architecture. "
    "HyperPod must support each fallback type. A training plan is for one type only.",
    source=_GROUP, reads="compute", where="fallback_instance_types",
)  # fmt: skip
def fallbacks_can_run_the_group(design: Design) -> Iterator[Finding]:
    """Check `fallback_instance_types` against the catalogue and the group."""
    for at, group in design.placed_groups:
        if group.fallback_instance_types and group.capacity.arn:
            yield Finding(
                at=(*at, "fallback_instance_types"),
                message=f"the training plan of group {group.name} is for {group.instance_type} only",
                hint="remove `fallback_instance_types`",
            )
        for i, name in enumerate(group.fallback_instance_types):
            fault = _fallback_fault(group, i, name)
            if fault:
                message, hint = fault
                yield Finding(at=(*at, "fallback_instance_types", i), message=message, hint=hint)


def _fallback_fault(group: Group, index: int, name: str) -> tuple[str, str] | None:
    first, other = catalog().instance(group.instance_type), catalog().instance(name)
    if other is None:
        close = catalog().nearest(name)
        hint = (
            f"did you mean {' or '.join(close)}?"
            if close
            else "docs/reference/catalogue.md lists the known types"
        )
        return f"{name!r} is not a known instance type", hint
    if name in (group.instance_type, *group.fallback_instance_types[:index]):
        return f"the fallback type {name} is listed twice", "remove one entry"
    if other.hyperpod_name is None:
        return f"HyperPod does not support {name}", f"remove {name}"
    if first is not None and first.arch != other.arch:
        return (
            f"{name} is {other.arch}, but {first.name} is {first.arch}",
            f"create a separate group for {name}",
        )
    return None


@rule(
    "HYP005", WARNING, "all instance types of a group have the same GPUs",
    why="If the types differ, a job that requests all GPUs of one node type never starts on nodes of the other type.",
    source="https://slurm.schedmd.com/gres.html", reads="compute orchestrator", where="fallback_instance_types",
)  # fmt: skip
def fallbacks_have_the_same_gpus(design: Design) -> Iterator[Finding]:
    """Compare the number and the model of the GPUs of `fallback_instance_types` with the group's."""
    for at, group, plan in design.planned_groups:
        for i, name in enumerate(group.fallback_instance_types):
            other = catalog().instance(name)
            if other and _gpus(other) != _gpus(plan.instance_type):
                yield Finding(
                    at=(*at, "fallback_instance_types", i),
                    message=f"the fallback type {name} has {_gpus(other)}, but {group.instance_type} has "
                    f"{_gpus(plan.instance_type)}",
                    hint=f"create a separate group with its own `partition` for {name}, or let each job request at most the GPUs "
                    "that both types have",
                )


def _gpus(instance: InstanceType) -> str:
    return f"{instance.gpu.count} x {instance.gpu.gpu.model}" if instance.gpu else "no GPU"


@rule(
    "HYP006", ERROR, "the KMS key of a volume is in the profile's Region",
    why="Amazon EBS cannot encrypt a volume with a key in another Region.",
    source=f"{_API}/API_ClusterEbsVolumeConfig.html", reads="compute region", where="volume_key_arn root_volume_key_arn",
)  # fmt: skip
def volume_keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `volume_key_arn` and `root_volume_key_arn`."""
    for at, group in design.placed_groups:
        for key in ("volume_key_arn", "root_volume_key_arn"):
            arn = getattr(group, key)
            if arn is not None and arn.split(":")[3] != design.profile.region:
                yield Finding(
                    at=(*at, key),
                    message=f"the key is in {arn.split(':')[3]}, but the profile is in {design.profile.region}",
                    hint=f"write the ARN of a key in {design.profile.region}, or remove `{key}`",
                )


@rule(
    "HYP007", NOTE, "HyperPod accepts the custom image of a group",
    why="HyperPod rejects an image that is encrypted, belongs to another account, or has volumes in addition to the root volume. "
    "HyperPod does not update custom images.",
    source=_GROUP, reads="compute orchestrator", where="ami_id",
)  # fmt: skip
def custom_images_are_accepted(design: Design) -> Iterator[Finding]:
    """Report each `ami_id`; the image itself is not checked."""
    hyperpod = hyperpod_of(design)
    if hyperpod is None:
        return
    since = " from January 2026 or later" if slurm_of(design) else " for the Kubernetes version"
    for at, group in design.placed_groups:
        if group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"group {group.name} uses the custom image {group.ami_id}, which HyperPod does not update",
                hint="update the image yourself; the image must be unencrypted, be in this account, have only a root volume, and be "
                f"built from a HyperPod image{since}",
            )


@rule(
    "HYP008", ERROR, "CloudFormation supports the deep health checks",
    why="The HyperPod API has one check that `AWS::SageMaker::Cluster` does not accept.",
    source=_GROUP, reads="compute orchestrator", where="deep_health_checks",
)  # fmt: skip
def deep_health_checks_are_supported(design: Design) -> Iterator[Finding]:
    """Check `deep_health_checks` for checks that only the API supports."""
    for at, group in design.placed_groups:
        for i, check in enumerate(group.deep_health_checks or ()):
            if check == "multi-node-training-validation":
                yield Finding(
                    at=(*at, "deep_health_checks", i),
                    message=f"the check {check} is available only in the HyperPod API, not in CloudFormation",
                    hint="remove the check, and run it on the running cluster with `aws sagemaker start-cluster-health-check`",
                )
