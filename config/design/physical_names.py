"""Every physical name that a template states: its form, how long it may be, and where it is alone.

What is not here has no stated name: CloudFormation makes one of the stack's name, the logical id and random
characters, and shortens it to what the service takes. So it is with everything whose names count for the
whole account or for all of AWS (roles, instance profiles, buckets): the same profile stands in two Regions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

_CFN = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference"
FINGERPRINT = 6
"""Letters of what `replaceable_name` adds."""


class Scope(StrEnum):
    """Within what a service takes a name once."""

    REGION = "account and Region"
    CLUSTER = "cluster"
    WORKSPACE = "workspace"
    LABEL = "nothing: it is shown, and an id counts"


@dataclass(frozen=True, kw_only=True)
class Form:
    """A name as templates state it.

    `key` is the property. `shape` has `{name}` for the profile's name in its environment, `{hex}` for a
    fingerprint and `{word}` for words of at most `longest_word` letters. `most` is the service's limit in
    characters, of the whole. `kinds` are those of a design that make one (`Design.kinds`); none: many do.
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
        """Characters of the longest such name of a profile that is called so in its environment."""
        fixed = len(self.shape.format(name="", hex="", word=""))
        named = len(name) * ("{name}" in self.shape)
        return fixed + named + FINGERPRINT * ("{hex}" in self.shape) + self.longest_word

    @property
    def room(self) -> int:
        """The longest name, with its environment, that every such name has room for."""
        return self.most - self.length("")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What such names look like; the group `name` is the profile's."""
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
        type="database of Slurm's accounting",
        key="name",
        what="database of Slurm's accounting",
        shape="slurm_acct_db_{name}_{hex}",
        most=64,
        scope=Scope.CLUSTER,
        source="https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html",
        kinds=frozenset({"accounting"}),
    ),
    Form(
        type="AWS::SageMaker::ClusterSchedulerConfig",
        key="Name",
        what="policy of task governance",
        shape="{name}-{hex}",
        most=63,
        scope=Scope.CLUSTER,
        source=_GOVERNANCE,
        kinds=frozenset({"task_governance"}),
    ),
    Form(  # what is longer is cut, and told apart by a fingerprint where it must be
        type="AWS::SageMaker::ComputeQuota",
        key="Name",
        what="quota of a team",
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
        what="node group of PCS",
        shape="{word}-{hex}",
        most=25,
        scope=Scope.CLUSTER,
        source=f"{_PCS}/API_CreateComputeNodeGroup.html",
        longest_word=18,
    ),
    Form(
        type="AWS::PCS::Queue",
        key="Name",
        what="queue of PCS",
        shape="{word}",
        most=25,
        scope=Scope.CLUSTER,
        source=f"{_PCS}/API_CreateQueue.html",
        longest_word=25,
    ),
    Form(
        type="AWS::SQS::Queue",
        key="QueueName",
        what="queue of Karpenter",
        shape="{name}-karpenter",
        most=80,
        scope=Scope.REGION,
        source="https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html",
        kinds=frozenset({"karpenter"}),
    ),
    Form(
        type="AWS::SNS::Topic",
        key="TopicName",
        what="topic of alerts",
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
    _alias("alias/{name}-alerts", "alias of the alerts' key"),
    _alias("alias/ultracluster/{name}/storage", "alias of the storage's key"),
    _alias("alias/{name}-{hex}-secrets", "alias of the key of Kubernetes' secrets"),
    _log_group("/aws/eks/{name}-{hex}/cluster", "log group of the EKS cluster"),
    _log_group("/aws/fsx/lustre/{name}", "log group of the file system"),
    _log_group("/aws/fsx/lustre/{name}/{word}", "log group of one more file system", 32),
    _log_group("/aws/vendedlogs/prometheus/{name}", "log group of the metrics"),
    _log_group("/ultracluster/{name}/{word}", "log group of the stack's own functions", 32),
    _parameter("/ultracluster/{name}/nodes/{word}", "parameter that nodes read"),
    _parameter("/ultracluster/{name}/v1-{word}", "parameter that clusters attach by"),
    Form(
        type="AWS::APS::Workspace",
        key="Alias",
        what="alias of the metrics workspace",
        shape="{name}",
        most=100,
        scope=Scope.LABEL,
        source=f"{_CFN}/aws-resource-aps-workspace.html",
    ),
    Form(
        type="AWS::APS::Scraper",
        key="Alias",
        what="alias of the collector",
        shape="{name}",
        most=100,
        scope=Scope.LABEL,
        source=f"{_CFN}/aws-resource-aps-scraper.html",
    ),
    Form(
        type="AWS::APS::RuleGroupsNamespace",
        key="Name",
        what="namespace of rules",
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
"""Where two forms fit one name, the first is the nearer one."""


def too_long(name: str, kinds: frozenset[str]) -> Iterator[Form]:
    """The forms that a design of these kinds makes, and that have no room for the name."""
    return (form for form in FORMS if form.kinds & kinds and form.length(name) > form.most)
