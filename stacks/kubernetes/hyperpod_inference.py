"""Resources of HyperPod's inference operator: identity provider, roles and a bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from constructs import Construct

from config.profile.kubernetes.hyperpod_addons import InferenceOperator
from config.profile.model import Profile
from stacks.common import retention_of, tags_of
from stacks.kubernetes.steps import Lookup
from ultracluster.cfn import statement, sub
from ultracluster.kubernetes import HyperPodEksCluster
from ultracluster.kubernetes.eks_cluster import EksCluster
from ultracluster.kubernetes.load_balancer_policy import load_balancer_statements
from ultracluster.kubernetes.web_identity import (
    IdentityProvider,
    IdentityProviderProps,
    WebIdentityRole,
    WebIdentityRoleProps,
)
from ultracluster.storage import DataBucket, DataBucketProps

NAMESPACE = "hyperpod-inference-system"
_VERSIONS_KEPT_DAYS = 30
_METRICS = (
    "aps:GetLabels", "aps:GetMetricMetadata", "aps:GetSeries", "aps:QueryMetrics", "cloudwatch:GetMetricData",
    "cloudwatch:GetMetricStatistics", "cloudwatch:ListMetrics",
)  # fmt: skip


def add_inference(
    scope: Construct,
    profile: Profile,
    operator: InferenceOperator,
    eks: EksCluster,
    cluster: HyperPodEksCluster,
    before: Lookup,
) -> Lookup:
    """Add the resources; return a lookup of their placeholders, which calls `before` for all others."""
    layer = Construct(scope, "Inference")
    bucket = DataBucket(
        layer,
        "Certificates",
        DataBucketProps(
            name=f"{profile.name}-inference-certificates",
            noncurrent_version_expiration_days=_VERSIONS_KEPT_DAYS,
            access_log_bucket_name=None,
            retention=retention_of(profile),
            tags=tags_of(profile),
        ),
    )
    roles = _roles(layer, profile, operator, eks, bucket)
    values = {
        ("bucket-name", "inference-certificates"): bucket.bucket_name,
        ("hyperpod-cluster-arn", ""): cluster.cluster_arn,
        **{("role-arn", name): role.role_arn for name, role in roles.items()},
    }
    return lambda kind, name: values.get((kind, name)) or before(kind, name)


def _roles(
    layer: Construct, profile: Profile, operator: InferenceOperator, eks: EksCluster, bucket: DataBucket
) -> dict[str, WebIdentityRole]:
    props = IdentityProviderProps(issuer_url=eks.issuer_url, tags=tags_of(profile))
    provider = IdentityProvider(layer, "Issuer", props)
    service = ("sagemaker.amazonaws.com",)

    def role(
        name: str, account: str, what: str, *,
        statements: Sequence[Mapping[str, Any]] = (),
        managed_policies: Sequence[str] = (), trusted_services: Sequence[str] = (),
    ) -> WebIdentityRole:  # fmt: skip
        described = f"{what} of the cluster {profile.name}"
        own = WebIdentityRoleProps(
            description=described, provider=provider, service_account=account, tags=tags_of(profile),
            statements=statements, managed_policies=managed_policies, trusted_services=trusted_services,
        )  # fmt: skip
        return WebIdentityRole(layer, name, own)

    roles = {
        "inference": role(
            "Operator",
            f"{NAMESPACE}:hyperpod-inference-controller-manager",
            "Inference operator",
            managed_policies=("AmazonSageMakerHyperPodInferenceAccess",),
            statements=_operator_statements(bucket),
            trusted_services=service,
        )
    }
    if operator.load_balancer:
        roles["load-balancer"] = role(
            "LoadBalancer",
            f"{NAMESPACE}:aws-load-balancer-controller",
            "Load balancers",
            statements=load_balancer_statements(),
        )
    if operator.autoscaling:
        roles["keda"] = role(
            "Keda",
            f"{NAMESPACE}:keda-operator",
            "Scaling of endpoints",
            statements=[statement(list(_METRICS), "*", sid="Metrics")],
        )
    if operator.gated_models:
        roles["gated-models"] = role(
            "GatedModels",
            "*:hyperpod-inference-service-account*",
            "Downloads of gated models",
            managed_policies=("AmazonSageMakerHyperPodGatedModelAccess",),
            trusted_services=service,
        )
    return roles


def _operator_statements(bucket: DataBucket) -> list[dict[str, Any]]:
    """Return the statements that allow the certificate bucket and the certificate tags of version 3.0.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-inference-release-notes.html
    """
    objects = {"Fn::Sub": ["${Bucket}/*", {"Bucket": bucket.bucket_arn}]}
    certificates = sub("arn:${AWS::Partition}:acm:${AWS::Region}:${AWS::AccountId}:certificate/*")
    written = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject", "s3:PutObjectTagging"]
    return [
        statement(["s3:ListBucket"], bucket.bucket_arn, sid="CertificateBucket"),
        statement(written, objects, sid="Certificates"),
        statement(["acm:AddTagsToCertificate"], certificates, sid="CertificateTags"),
    ]
