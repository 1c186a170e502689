"""Every physical name that templates set: its form, its maximum length, and its scope.

Other resources do not have a name in the template. CloudFormation creates their names from the stack name,
the logical ID and random characters. These generated names include all names that are unique in an account or
in AWS (roles, instance profiles, buckets), so that a profile can be deployed to two Regions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

_CFN = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference"
FINGERPRINT = 6
"""Characters that `replaceable_name` adds."""


class Scope(StrEnum):
    """Scope in which a name must be unique."""

    REGION = "account and Region"
    CLUSTER = "cluster"
    WORKSPACE = "workspace"
    LABEL = "not unique: a label"


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a physical name in templates.

    `key` is the property. `shape` contains `{name}` for the profile's name in its environment, `{hex}` for a
    fingerprint and `{word}` for words of at most `longest_word` letters. `most` is the maximum length of the
    whole name. `kinds` are the kinds of a design that create the name (`Design.kinds`); empty for many kinds.
    """

    type: str
    key: str
    what: str
    shape: str
    most: int
    scope: Scope
    source: str
    longest_word: int = 0
    kinds: frozenset[str] = frozenset()

    def length(self, name: str) -> int:
        """Return the maximum length of this name for a profile name with its environment."""
        fixed = len(self.shape.format(name="", hex="", word=""))
        named = len(name) * ("{name}" in self.shape)
        return fixed + named + FINGERPRINT * ("{hex}" in self.shape) + self.longest_word

    @property
    def room(self) -> int:
        """Maximum length of a profile name with its environment."""
        return self.most - self.length("")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of these names; the group `name` is the profile's name."""
        parts = {"name": "(?P<name>[a-z][a-z0-9-]*)", "hex": "[0-9a-f]{6}", "word": "[A-Za-z0-9./-]+"}
        return re.compile("".join(parts.get(part, re.escape(part)) for part in _split(self.shape)))


def _split(shape: str) -> Iterator[str]:
    for part in re.split(r"(\{[a-z]+\})", shape):
        yield part[1:-1] if part.startswith("{") else part


def _log_group(shape: str, what: str, longest_word: int = 0) -> Form:
    return Form(
        type="AWS::Logs::LogGroup", key="LogGroupName", what=what, shape=shape, most=512,
        scope=Scope.REGION, source=f"{_CFN}/aws-resource-logs-loggroup.html", longest_word=longest_word,
    )  # fmt: skip


def _alias(shape: str, what: str) -> Form:
    return Form(
        type="AWS::KMS::Alias", key="AliasName", what=what, shape=shape, most=256,
        scope=Scope.REGION, source=f"{_CFN}/aws-resource-kms-alias.html",
    )  # fmt: skip


def _parameter(shape: str, what: str) -> Form:
    return Form(
        type="AWS::SSM::Parameter", key="Name", what=what, shape=shape, most=2048, scope=Scope.REGION,
        source="https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html",
        longest_word=64,
    )  # fmt: skip


_HYPERPOD = f"{_CFN}/aws-resource-sagemaker-cluster.html"
_PCS = "https://docs.aws.amazon.com/pcs/latest/APIReference"
_GOVERNANCE = f"{_CFN}/aws-resource-sagemaker-computequota.html"

FORMS: tuple[Form, ...] = (
    Form(
        type="AWS::SageMaker::Cluster",
        key="ClusterName",
        what="HyperPod cluster",
        shape="{name}-{hex}",
        most=63,
        scope=Scope.REGION,
        source=_HYPERPOD,
        kinds=frozenset({"hyperpod-slurm", "hyperpod-eks"}),
    ),
    Form(
        type="AWS::EKS::Cluster",
        key="Name",
        what="EKS cluster",
        shape="{name}-{hex}",
        most=100,
        scope=Scope.REGION,
        source=f"{_CFN}/aws-resource-eks-cluster.html",
        kinds=frozenset({"eks", "hyperpod-eks"}),
    ),
    Form(
        type="AWS::PCS::Cluster",
        key="Name",
        what="PCS cluster",
        shape="{name}-{hex}",
        most=40,
        scope=Scope.REGION,
        source=f"{_PCS}/API_CreateCluster.html",
        kinds=frozenset({"pcs"}),
    ),
    Form(
        type="database of accounting",
        key="name",
        what="Slurm accounting database",
        shape="slurm_acct_db_{name}_{hex}",
        most=64,
        scope=Scope.CLUSTER,
        source="https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html",
        kinds=frozenset({"accounting"}),
    ),
    Form(
        type="AWS::SageMaker::ClusterSchedulerConfig",
        key="Name",
        what="task governance policy",
        shape="{name}-{hex}",
        most=63,
        scope=Scope.CLUSTER,
        source=_GOVERNANCE,
        kinds=frozenset({"task_governance"}),
    ),
    Form(  # longer names are cut, with a fingerprint if they must be unique
        type="AWS::SageMaker::ComputeQuota",
        key="Name",
        what="team quota",
        shape="{name}-{hex}-{word}",
        most=63,
        scope=Scope.CLUSTER,
        source=_GOVERNANCE,
        kinds=frozenset({"task_governance"}),
        longest_word=1,
    ),
    Form(
        type="AWS::EKS::Nodegroup",
        key="NodegroupName",
        what="node group",
        shape="{word}-{hex}",
        most=63,
        scope=Scope.CLUSTER,
        source=f"{_CFN}/aws-resource-eks-nodegroup.html",
        longest_word=32,
    ),
    Form(
        type="AWS::EKS::Addon",
        key="AddonName",
        what="add-on",
        shape="{word}",
        most=100,
        scope=Scope.CLUSTER,
        source=f"{_CFN}/aws-resource-eks-addon.html",
        longest_word=63,
    ),
    Form(
        type="AWS::PCS::ComputeNodeGroup",
        key="Name",
        what="PCS node group",
        shape="{word}-{hex}",
        most=25,
        scope=Scope.CLUSTER,
        source=f"{_PCS}/API_CreateComputeNodeGroup.html",
        longest_word=18,
    ),
    Form(
        type="AWS::PCS::Queue",
        key="Name",
        what="PCS queue",
        shape="{word}",
        most=25,
        scope=Scope.CLUSTER,
        source=f"{_PCS}/API_CreateQueue.html",
        longest_word=25,
    ),
    Form(
        type="AWS::SQS::Queue",
        key="QueueName",
        what="Karpenter queue",
        shape="{name}-karpenter",
        most=80,
        scope=Scope.REGION,
        source="https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html",
        kinds=frozenset({"karpenter"}),
    ),
    Form(
        type="AWS::SNS::Topic",
        key="TopicName",
        what="SNS topic for alerts",
        shape="{name}-{word}",
        most=256,
        scope=Scope.REGION,
        source=f"{_CFN}/aws-resource-sns-topic.html",
        longest_word=24,
    ),
    Form(
        type="AWS::CloudWatch::Alarm",
        key="AlarmName",
        what="alarm",
        shape="{name}-{word}",
        most=255,
        scope=Scope.REGION,
        source=f"{_CFN}/aws-resource-cloudwatch-alarm.html",
        longest_word=128,
    ),
    _alias("alias/{name}-alerts", "KMS alias for alerts"),
    _alias("alias/ultracluster/{name}/storage", "KMS alias for storage"),
    _alias("alias/{name}-{hex}-secrets", "KMS alias for Kubernetes secrets"),
    _log_group("/aws/eks/{name}-{hex}/cluster", "log group of the EKS cluster"),
    _log_group("/aws/fsx/lustre/{name}", "log group of the file system"),
    _log_group("/aws/fsx/lustre/{name}/{word}", "log group of one more file system", 32),
    _log_group("/aws/vendedlogs/prometheus/{name}", "log group of the metrics"),
    _log_group("/ultracluster/{name}/{word}", "log group of the stack's own functions", 32),
    _parameter("/ultracluster/{name}/nodes/{word}", "parameter for nodes"),
    _parameter("/ultracluster/{name}/v1-{word}", "parameter for clusters on the data profile"),
    Form(
        type="AWS::APS::Workspace",
        key="Alias",
        what="alias of the AMP workspace",
        shape="{name}",
        most=100,
        scope=Scope.LABEL,
        source=f"{_CFN}/aws-resource-aps-workspace.html",
    ),
    Form(
        type="AWS::APS::Scraper",
        key="Alias",
        what="alias of the AMP collector",
        shape="{name}",
        most=100,
        scope=Scope.LABEL,
        source=f"{_CFN}/aws-resource-aps-scraper.html",
    ),
    Form(
        type="AWS::APS::RuleGroupsNamespace",
        key="Name",
        what="rule namespace",
        shape="{name}",
        most=64,
        scope=Scope.WORKSPACE,
        source=f"{_CFN}/aws-resource-aps-rulegroupsnamespace.html",
    ),
    Form(
        type="AWS::Grafana::Workspace",
        key="Name",
        what="Grafana workspace",
        shape="{name}",
        most=255,
        scope=Scope.LABEL,
        source=f"{_CFN}/aws-resource-grafana-workspace.html",
    ),
    Form(
        type="AWS::CloudFormation::Stack",
        key="StackName",
        what="stack",
        shape="{name}",
        most=128,
        scope=Scope.REGION,
        source="https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html",
    ),
)
"""All forms of names; if two forms match a name, the more specific form is first."""


def too_long(name: str, kinds: frozenset[str]) -> Iterator[Form]:
    """Return the forms that these kinds of a design use, if the name exceeds their maximum length."""
    return (form for form in FORMS if form.kinds & kinds and form.length(name) > form.most)
