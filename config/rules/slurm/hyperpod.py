"""HyperPod with Slurm: how nodes are provisioned, of which types, with which keys and images."""

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
    """The profile's control plane, where it is HyperPod with Slurm."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, HyperPodSlurm) else None


def hyperpod_of(design: Design) -> HyperPodSlurm | HyperPodEks | None:
    """The profile's control plane, where it is HyperPod."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, HyperPodSlurm | HyperPodEks) else None


@rule(
    "HYP001", ERROR, "continuous provisioning states no strategy for Slurm's configuration",
    why="It merges, and HyperPod refuses any strategy beside it, be it merge itself.",
    source=_CONTINUOUS, reads="orchestrator", where="continuous",
)  # fmt: skip
def continuous_takes_no_strategy(design: Design) -> Iterator[Finding]:
    """slurm_config_strategy beside provisioning."""
    slurm = slurm_of(design)
    if slurm and slurm.provisioning == "continuous" and slurm.slurm_config_strategy is not None:
        yield Finding(
            at=(*_ORCHESTRATOR, "slurm_config_strategy"),
            message=f"`{slurm.slurm_config_strategy}` beside continuous provisioning, which takes no strategy",
            hint="write `slurm_config_strategy: null`, or `provisioning: all-at-once`",
        )


@rule(
    "HYP002", ERROR, "what only continuous provisioning can do is asked of it alone",
    why="HyperPod refuses a least count, several types and a database of one's own without it.",
    source=_GROUP, reads="compute orchestrator", where="min_count fallback_instance_types accounting",
)  # fmt: skip
def continuous_only_settings_are_continuous(design: Design) -> Iterator[Finding]:
    """min_count, fallback_instance_types and accounting."""
    hyperpod = hyperpod_of(design)
    if hyperpod is None or hyperpod.provisioning == "continuous":
        return
    slurm = slurm_of(design)
    another = ", which makes another cluster" if slurm else ""
    hint = f"write `provisioning: continuous`{another}, or take it out"
    if slurm and slurm.accounting is not None:
        message = "a database outside of the controller needs `provisioning: continuous`"
        yield Finding(at=(*_ORCHESTRATOR, "accounting"), message=message, hint=hint)
    for at, group in design.placed_groups:
        for key in ("min_count", "fallback_instance_types"):
            if getattr(group, key):
                message = f"`{key}` of group {group.name} needs `provisioning: continuous`"
                yield Finding(at=(*at, key), message=message, hint=hint)


@rule(
    "HYP003", ERROR, "a group's least count is not above its count",
    why="After 3 hours without so many nodes HyperPod takes the group back to none.",
    source=_GROUP, reads="compute", where="min_count",
)  # fmt: skip
def least_count_can_be_reached(design: Design) -> Iterator[Finding]:
    """min_count against count."""
    for at, group in design.placed_groups:
        if group.min_count is not None and group.min_count > group.count:
            yield Finding(
                at=(*at, "min_count"),
                message=f"group {group.name} is to have {group.min_count} of its {group.count} nodes",
                hint=f"write `min_count: {group.count}` or less, or take it out"
                if group.count
                else "take `min_count` out",
            )


@rule(
    "HYP004", ERROR, "the types that stand in for another can run the group",
    why="One group has one image and one set of scripts: a type of another architecture, or one that HyperPod does not "
    "have, never joins it; and a training plan is for one type.",
    source=_GROUP, reads="compute", where="fallback_instance_types",
)  # fmt: skip
def fallbacks_can_run_the_group(design: Design) -> Iterator[Finding]:
    """fallback_instance_types against the catalogue and the group."""
    for at, group in design.placed_groups:
        if group.fallback_instance_types and group.capacity.arn:
            yield Finding(
                at=(*at, "fallback_instance_types"),
                message=f"the training plan of group {group.name} is for {group.instance_type} alone",
                hint="take `fallback_instance_types` out",
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
        return f"{name} is listed twice", "take one out"
    if other.hyperpod_name is None:
        return f"HyperPod's list of types has no {name}", "take it out"
    if first is not None and first.arch != other.arch:
        return f"{name} is {other.arch}, {first.name} is {first.arch}", "make a group of its own of it"
    return None


@rule(
    "HYP005", WARNING, "the types of one group have the same GPUs",
    why="Nodes of one partition then differ: a job that asks for all GPUs of one kind of node waits for ever on the other.",
    source="https://slurm.schedmd.com/gres.html", reads="compute orchestrator", where="fallback_instance_types",
)  # fmt: skip
def fallbacks_have_the_same_gpus(design: Design) -> Iterator[Finding]:
    """Number and model of GPUs."""
    for at, group, plan in design.planned_groups:
        for i, name in enumerate(group.fallback_instance_types):
            other = catalog().instance(name)
            if other and _gpus(other) != _gpus(plan.instance_type):
                yield Finding(
                    at=(*at, "fallback_instance_types", i),
                    message=f"{name} has {_gpus(other)}, {group.instance_type} {_gpus(plan.instance_type)}",
                    hint="make a group with a partition of its own of it, or have jobs ask for fewer GPUs a node",
                )


def _gpus(instance: InstanceType) -> str:
    return f"{instance.gpu.count} x {instance.gpu.gpu.model}" if instance.gpu else "no GPU"


@rule(
    "HYP006", ERROR, "the key of a volume is in the profile's Region",
    why="A volume cannot be encrypted with a key of another Region.",
    source=f"{_API}/API_ClusterEbsVolumeConfig.html", reads="compute region", where="volume_key_arn root_volume_key_arn",
)  # fmt: skip
def volume_keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """volume_key_arn and root_volume_key_arn."""
    for at, group in design.placed_groups:
        for key in ("volume_key_arn", "root_volume_key_arn"):
            arn = getattr(group, key)
            if arn is not None and arn.split(":")[3] != design.profile.region:
                yield Finding(
                    at=(*at, key),
                    message=f"the key is in {arn.split(':')[3]}, the profile in {design.profile.region}",
                    hint=f"name a key of {design.profile.region}, or take `{key}` out",
                )


@rule(
    "HYP007", NOTE, "an image of one's own is one that HyperPod takes",
    why="HyperPod refuses an image that is encrypted, another account's, or has more than its root volume; and of its "
    "updates it gets none.",
    source=_GROUP, reads="compute orchestrator", where="ami_id",
)  # fmt: skip
def own_images_are_told_of(design: Design) -> Iterator[Finding]:
    """ami_id, of which nothing is looked up."""
    hyperpod = hyperpod_of(design)
    if hyperpod is None:
        return
    since = " of January 2026 or later" if slurm_of(design) else " for the Kubernetes version"
    for at, group in design.placed_groups:
        if group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"group {group.name} runs {group.ami_id}, which you keep up to date",
                hint="have it unencrypted, in this account, with its root volume alone, and made of a HyperPod "
                f"image{since}",
            )


@rule(
    "HYP008", ERROR, "a deep health check is one that CloudFormation can ask for",
    why="HyperPod's API knows one more, which AWS::SageMaker::Cluster does not take.",
    source=_GROUP, reads="compute orchestrator", where="deep_health_checks",
)  # fmt: skip
def checks_can_be_asked_for(design: Design) -> Iterator[Finding]:
    """deep_health_checks that the API alone has."""
    for at, group in design.placed_groups:
        for i, check in enumerate(group.deep_health_checks or ()):
            if check == "multi-node-training-validation":
                yield Finding(
                    at=(*at, "deep_health_checks", i),
                    message=f"{check} is in HyperPod's API alone, CloudFormation cannot ask for it",
                    hint="take it out; `aws sagemaker start-cluster-health-check` runs it on a cluster that is there",
                )
