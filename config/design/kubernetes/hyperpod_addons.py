"""Settings and pod identities of HyperPod's operators.

Names of settings, namespaces and service accounts are those of AWS's own deployment
(https://github.com/awslabs/awsome-distributed-ai, hyperpod-eks-tf) and of the add-ons' documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from config.design.kubernetes.model import IdentityPlan
from config.design.kubernetes.steps import later
from config.profile.kubernetes.hyperpod_addons import InferenceOperator, ObservabilityAddon

TRAINING, OBSERVABILITY = "training-operator", "observability"
"""Pod identities by name."""

_SCRAPED_EVERY_S = 30
_KINDS = (
    "training", "inference", "task-governance", "scaling", "custom", "node", "accelerated-compute", "network",
)  # fmt: skip


def training_identity() -> IdentityPlan:
    """Return the training operator's pod identity, which is created before the add-on.

    For some versions of the add-on, EKS rejects a request that contains the identity (HYPERPOD-02).
    """
    return IdentityPlan(
        name=TRAINING,
        namespace="aws-hyperpod",
        service_account="hp-training-operator-controller-manager",
        managed_policies=("AmazonSageMakerHyperPodTrainingOperatorAccess",),
    )


def observability_identity(addon: ObservabilityAddon) -> IdentityPlan:
    """Return the identity of the collectors; they write metrics, and also logs if logs are enabled."""
    write = {"Effect": "Allow", "Action": ["aps:RemoteWrite"], "Resource": later("prometheus-arn")}
    logs = {
        "Effect": "Allow",
        "Action": [
            "logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogGroups",
            "logs:DescribeLogStreams", "logs:PutLogEvents",
        ],
        "Resource": later("cluster-logs-arn"),
    }  # fmt: skip
    return IdentityPlan(
        name=OBSERVABILITY,
        namespace="hyperpod-observability",
        service_account="hyperpod-observability-operator-otel-collector",
        statements=(write, logs) if addon.logs else (write,),
    )


def observability_settings(addon: ObservabilityAddon) -> Mapping[str, Any]:
    """Return the add-on's settings: workspaces, logging, and the level of detail of each metric category."""
    levels: Mapping[str, str] = {str(kind): level for kind, level in addon.metrics.items()}
    return {
        "ampWorkspace": {"prometheusEndpoint": later("prometheus-endpoint"), "arn": later("prometheus-arn")},
        "amgWorkspace": {"workspaceName": later("grafana-name"), "arn": later("grafana-arn")},
        "metricsProvider": {
            _camel(kind): {
                "level": levels.get(kind, "basic").upper(),
                "scrapeInterval": _SCRAPED_EVERY_S,
            }
            for kind in _KINDS
        },
        "logging": {"enabled": addon.logs},
    }


def _camel(kind: str) -> str:
    first, *rest = kind.split("-")
    return "".join([first, *(word.title() for word in rest)]) + "Metrics"


def inference_settings(operator: InferenceOperator) -> Mapping[str, Any]:
    """Return all dependencies of inference; endpoints start only if all of them exist (HYPERPOD-32)."""
    settings: dict[str, Any] = {
        "executionRoleArn": later("role-arn", "inference"),
        "tlsCertificateS3Bucket": later("bucket-name", "inference-certificates"),
        "hyperpodClusterArn": later("hyperpod-cluster-arn"),
        "alb": {"enabled": operator.load_balancer},
        "keda": {"enabled": operator.autoscaling},
    }
    if operator.load_balancer:
        account = {"create": True, "roleArn": later("role-arn", "load-balancer")}
        settings["alb"] |= {"serviceAccount": account}
    if operator.autoscaling:
        irsa = {"enabled": True, "roleArn": later("role-arn", "keda")}
        settings["keda"] |= {"auth": {"aws": {"irsa": irsa}}}
    if operator.gated_models:
        settings["jumpstartGatedModelDownloadRoleArn"] = later("role-arn", "gated-models")
    return settings
