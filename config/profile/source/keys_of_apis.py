"""Keys of AWS's APIs: what a profile calls them, or why it does not have them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from config.diagnostics import Path

_NOT_IN_CLOUDFORMATION = "PCS's API has it, CloudFormation's AWS::PCS::{} (cfn-lint 1.58) has not"
_OF_CLUSTERS = _NOT_IN_CLOUDFORMATION.format("Cluster")
_OF_GROUPS = _NOT_IN_CLOUDFORMATION.format("ComputeNodeGroup")

WHY_NOT: Mapping[str, str] = {
    "job_submit_plugins": f"{_OF_CLUSTERS}: `settings` takes CliFilterPlugins",
    "auth_key": "PCS makes the key of Slurm itself, and gives it out",
    "jwt_auth": "PCS makes the key of tokens itself, and gives it out",
    "launch_template_mode": f"{_OF_GROUPS}: ultracluster writes the launch templates",
    "security_group_ids": f"{_OF_GROUPS}: every interface has the security group of the nodes",
    "ssh_key_name": f"{_OF_GROUPS}: nodes are reached by Session Manager",
    "instance_health_checks": f"{_OF_GROUPS}: `settings` takes HealthCheckProgram, which ultracluster sets",
}
"""By the key as it would be written in snake_case."""

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
"""What the APIs of PCS and SageMaker call a key of ours, in snake_case."""


_BY_A_TOPIC = "write `kind: sns` and subscribe it to the topic: AMP tells SNS and PagerDuty alone"
_RECEIVERS: Mapping[str, str] = {
    **dict.fromkeys(("email", "mail"), "write `{kind: sns, emails: [...]}`"),
    **dict.fromkeys(("lambda", "opsgenie", "slack", "sqs", "teams", "webhook"), _BY_A_TOPIC),
}


def observability_instead(path: Path, word: str) -> str | None:
    """What to write for a receiver that AMP does not have, and for what no control plane does by itself."""
    if path[:3] == ("observability", "alerts", "receivers"):
        return _RECEIVERS.get(word.lower())
    if path[:3] == ("observability", "repair", "actions") and word == "reset":
        return "write `reboot`, which resets all GPUs of the node: no control plane resets one by itself"
    return None


def snake_case(key: str) -> str:
    """A key as profiles spell it: `NodeRecovery` and `nodeRecovery` are `node_recovery`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).replace("-", "_").lower()


def pcluster_instead(kind: str) -> str | None:
    """What to do for somebody who asks for AWS ParallelCluster, which is no control plane of a profile."""
    if kind.lower().replace("_", "-") not in (
        "parallelcluster",
        "parallel-cluster",
        "pcluster",
        "aws-parallelcluster",
    ):
        return None
    return "`ultracluster pcluster PROFILE` writes an AWS ParallelCluster configuration of any Slurm profile"
