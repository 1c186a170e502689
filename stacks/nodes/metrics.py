"""Metrics of nodes: the remote write URL and the permissions of the node role."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.model import Design
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.observability.collection.slurm import existing_workspace, write_url_parameter
from stacks.common import add_parameter
from ultracluster.nodes import NodeMetricsAccess


def add_write_url(scope: Construct, design: Design, endpoint: str) -> None:
    """Create the SSM parameter with a new workspace's remote write URL; nodes retry until it exists."""
    plan = design.hyperpod or design.pcs
    name = write_url_parameter(design.profile.name)
    if plan is None or plan.scripts is None or name not in plan.scripts.parameters:
        return
    url, described = f"{endpoint}api/v1/remote_write", "Remote write URL for the nodes of {}"
    add_parameter(scope, "RemoteWriteUrl", design.profile, name, url, described)


def metrics_access(scripts: NodeScriptsPlan | None) -> NodeMetricsAccess | None:
    """Return the permissions that nodes need to collect metrics; None if they do not collect metrics."""
    collection = scripts.collection if scripts else None
    if collection is None:
        return None
    return NodeMetricsAccess(
        file_system_metrics=collection.reads_cloudwatch,
        secret_arns=collection.secret_arns,
        archives=collection.bucket,
    )


def workspace_arn(design: Design, made: str | None) -> str | None:
    """Return the ARN of the AMP workspace that the stack creates, or of an existing one in this account."""
    wanted = design.profile.observability
    found = existing_workspace(wanted) if wanted and made is None else None
    if found is None:
        return made
    region, workspace = found
    return cdk.Fn.sub(f"arn:${{AWS::Partition}}:aps:{region}:${{AWS::AccountId}}:workspace/{workspace}")
