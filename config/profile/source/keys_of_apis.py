"""Keys of AWS APIs, with the corresponding profile key or the reason why a profile does not have one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from config.diagnostics import Path

_NOT_IN_CLOUDFORMATION = (
    "the PCS API has it, but the CloudFormation type AWS::PCS::{} (cfn-lint 1.58) does not"
)
_OF_CLUSTERS = _NOT_IN_CLOUDFORMATION.format("Cluster")
_OF_GROUPS = _NOT_IN_CLOUDFORMATION.format("ComputeNodeGroup")

WHY_NOT: Mapping[str, str] = {
    "job_submit_plugins": f"{_OF_CLUSTERS}; set CliFilterPlugins in `settings`",
    "auth_key": "PCS creates and distributes the Slurm key",
    "jwt_auth": "PCS creates and distributes the key for tokens",
    "launch_template_mode": f"{_OF_GROUPS}; ultracluster creates the launch templates",
    "security_group_ids": f"{_OF_GROUPS}; every interface has the security group of the nodes",
    "ssh_key_name": f"{_OF_GROUPS}; connect to nodes through Session Manager",
    "instance_health_checks": f"{_OF_GROUPS}; ultracluster sets HealthCheckProgram in `settings`",
}
"""API key in snake_case -> the reason why a profile does not have the key."""

OURS: Mapping[str, tuple[str, ...]] = {
    "cgroup_custom_settings": ("cgroup_settings",),
    "compute_node_group_name": ("name",),
    "custom_slurm_settings": ("settings", "slurm_settings"),
    "default_purge_time_in_days": ("purge_days",),
    "image_id": ("ami_id",),
    "instance_count": ("count",),
    "instance_group_name": ("name",),
    "instance_groups": ("groups",),
    "life_cycle_config": ("lifecycle",),
    "max_instance_count": ("count",),
    "min_instance_count": ("min_count",),
    "node_provisioning_mode": ("provisioning",),
    "on_create": ("entry",),
    "on_init_complete": ("script",),
    "on_start_deep_health_checks": ("deep_health_checks",),
    "purchase_option": ("capacity",),
    "scale_down_idle_time_in_seconds": ("idle_seconds",),
    "schedule_expression": ("schedule",),
    "slurm_custom_settings": ("settings", "slurm_settings"),
    "slurm_rest": ("rest_api",),
    "slurmdbd_custom_settings": ("accounting_settings",),
    "training_plan_arn": ("capacity",),
}
"""The profile keys for each key of the PCS or SageMaker API, in snake_case."""


_BY_A_TOPIC = "write `kind: sns` and subscribe the receiver to the topic; AMP notifies only SNS and PagerDuty"
_RECEIVERS: Mapping[str, str] = {
    **dict.fromkeys(("email", "mail"), "write `{kind: sns, emails: [...]}`"),
    **dict.fromkeys(("lambda", "opsgenie", "slack", "sqs", "teams", "webhook"), _BY_A_TOPIC),
}


def observability_instead(path: Path, word: str) -> str | None:
    """Return a hint for an unknown receiver or repair action that has a replacement; None if it has none."""
    if path[:3] == ("observability", "alerts", "receivers"):
        return _RECEIVERS.get(word.lower())
    if path[:3] == ("observability", "repair", "actions") and word == "reset":
        return "write `reboot`, which resets all GPUs of the node; control planes do not reset single GPUs"
    return None


def snake_case(key: str) -> str:
    """Return a key in the spelling of profiles: `node_recovery` for `NodeRecovery` and `nodeRecovery`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).replace("-", "_").lower()


def pcluster_instead(kind: str) -> str | None:
    """Return a hint if the kind is AWS ParallelCluster, which profiles do not support; otherwise None."""
    if kind.lower().replace("_", "-") not in (
        "parallelcluster",
        "parallel-cluster",
        "pcluster",
        "aws-parallelcluster",
    ):
        return None
    return (
        "run `ultracluster pcluster PROFILE` to write an AWS ParallelCluster configuration of a Slurm profile"
    )
