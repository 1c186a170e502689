"""Scripts and permissions of HyperPod nodes: construct props from the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from constructs import Construct

from config.design.slurm.hyperpod import HyperPodSlurmPlan
from config.profile.slurm.hyperpod import CustomerManaged
from stacks.access.people import node_access
from stacks.common import tags_of
from stacks.foundation import Foundation
from stacks.nodes.images import image_access
from stacks.nodes.metrics import metrics_access, workspace_arn
from stacks.slurm.accounting import Accounting
from ultracluster.nodes import NodeScripts, NodeScriptsProps
from ultracluster.slurm import HyperPodExecutionRoleProps, Lifecycle

if TYPE_CHECKING:
    from config.design.kubernetes.hyperpod import HyperPodEksPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """The lifecycle scripts of nodes and their location in S3; empty if the nodes do not run scripts.

    `prefix` is the folder of all versions, without slashes at the start and end; `object_keys` are the S3
    keys of ultracluster's scripts.
    """

    lifecycle: Lifecycle | None = None
    bucket_name: str | None = None
    prefix: str = ""
    object_keys: tuple[str, ...] = ()


def add_scripts(scope: Construct, plan: HyperPodSlurmPlan | HyperPodEksPlan) -> Scripts:
    """Upload and return ultracluster's scripts, or return the scripts in the user's bucket, or no scripts.

    With Slurm, ultracluster's scripts run after HyperPod's setup. Kubernetes nodes run only the entry script.
    """
    if plan.customer is not None:
        return _of_the_customer(plan.customer)
    if plan.scripts is None:
        return Scripts()
    props = NodeScriptsProps(files=plan.scripts.files, content_hash=plan.scripts.content_hash)
    scripts = NodeScripts(scope, "Scripts", props)
    return Scripts(
        lifecycle=Lifecycle(source_s3_uri=scripts.s3_uri, on_init_complete=plan.scripts.entry)
        if isinstance(plan, HyperPodSlurmPlan)
        else Lifecycle(source_s3_uri=scripts.s3_uri, on_create=plan.scripts.entry),
        bucket_name=scripts.bucket_name,
        prefix=scripts.versions_prefix,
        object_keys=scripts.object_keys,
    )


def _of_the_customer(customer: CustomerManaged) -> Scripts:
    bucket, _, folder = customer.source_s3_uri.removeprefix("s3://").partition("/")
    return Scripts(
        lifecycle=Lifecycle(source_s3_uri=customer.source_s3_uri, on_create=customer.entry),
        bucket_name=bucket,
        prefix=folder.strip("/"),
    )


def role_props(
    on: Foundation,
    plan: HyperPodSlurmPlan | HyperPodEksPlan,
    scripts: Scripts,
    accounting: Accounting | None = None,
    eks_cluster_arn: str | None = None,
) -> HyperPodExecutionRoleProps:
    """Return the permissions of the nodes."""
    design, storage = on.design, on.storage
    key = accounting.secret_key_arn if accounting else None
    return HyperPodExecutionRoleProps(
        cluster_name=plan.cluster_name,
        scripts_bucket_name=scripts.bucket_name,
        scripts_prefix=scripts.prefix,
        volume_key_arns=[
            arn for group in design.groups for arn in (group.volume_key_arn, group.root_volume_key_arn) if arn
        ],
        describe_file_systems=any(system.plan.efa for system in storage.file_systems),
        parameter_names=plan.scripts.parameters if plan.scripts else (),
        directory_bucket_names=[storage.express_bucket_name] if storage.express_bucket_name else (),
        remote_write_workspace_arn=workspace_arn(design, on.workspaces.metrics_arn),
        metrics=metrics_access(plan.scripts),
        access=node_access(design, plan.scripts),
        images=image_access(design.pulled),
        describe_alarms=any(
            update.deployment.alarms
            for group in design.groups
            for update in (group.scheduled_update, group.auto_patch)
            if update and update.deployment
        ),
        secret_arns=[accounting.database.secret_arn] if accounting else (),
        secret_key_arns=[key] if key else (),
        eks_cluster_arn=eks_cluster_arn,
        tags=tags_of(design.profile),
    )
