"""What nodes need to send metrics: where they send to, and what they may read for it."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.model import Design
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.observability.collection.slurm import existing_workspace, write_url_parameter
from stacks.common import add_parameter
from ultracluster.nodes import NodeMetricsAccess


def add_write_url(scope: Construct, design: Design, endpoint: str) -> None:
    """The parameter with the address of a new workspace: nodes ask for it until it is there."""
    plan = design.hyperpod or design.pcs
    name = write_url_parameter(design.profile.name)
    if plan is None or plan.scripts is None or name not in plan.scripts.parameters:
        return
    url, described = f"{endpoint}api/v1/remote_write", "Where nodes of {} send metrics"
    add_parameter(scope, "RemoteWriteUrl", design.profile, name, url, described)


def metrics_access(scripts: NodeScriptsPlan | None) -> NodeMetricsAccess | None:
    """What the role of the nodes may read for their metrics; None: nothing."""
    collection = scripts.collection if scripts else None
    if collection is None:
        return None
    return NodeMetricsAccess(
        file_system_metrics=collection.reads_cloudwatch,
        secret_arns=collection.secret_arns,
        archives=collection.bucket,
    )


def workspace_arn(design: Design, made: str | None) -> str | None:
    """The workspace of the metrics: the stack's own, or the one of this account that the profile names."""
    wanted = design.profile.observability
    found = existing_workspace(wanted) if wanted and made is None else None
    if found is None:
        return made
    region, workspace = found
    return cdk.Fn.sub(f"arn:${{AWS::Partition}}:aps:{region}:${{AWS::AccountId}}:workspace/{workspace}")
