"""Codes for clusters and instance groups that HyperPod rejects."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_GUIDE = "https://docs.aws.amazon.com/sagemaker/latest/dg"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference"
_GROUP = f"{_API}/API_ClusterInstanceGroupSpecification.html"
_REFERENCE = f"{_GUIDE}/sagemaker-hyperpod-ref.html"
_NEEDS = f"{_GUIDE}/sagemaker-hyperpod-prerequisites.html"
_EKS = f"{_GUIDE}/sagemaker-hyperpod-eks-prerequisites.html"

PARTITIONS_ON_COMPUTE = refused(
    "ORC012",
    "every Slurm compute group has one partition, and other groups do not have a partition",
    "HyperPod rejects partitions on controller and login groups, and compute groups without a partition.",
    _REFERENCE,
)
STRATEGY_WITHOUT_CONTINUOUS = refused(
    "ORC013",
    "a Slurm configuration strategy is set only without continuous provisioning",
    "HyperPod rejects a cluster with continuous provisioning and a configuration strategy.",
    f"{_API}/API_ClusterOrchestratorSlurmConfig.html",
)
ONE_KIND_OF_TYPE = refused(
    "ORC014",
    "a group sets either its instance type or a list of possible types",
    "InstanceType and InstanceRequirements exclude each other, and one of them is required.",
    _GROUP,
)
CONTINUOUS_ONLY = refused(
    "ORC015",
    "settings that need continuous provisioning are set only with continuous provisioning",
    "HyperPod rejects a minimum count, several instance types and an existing accounting database without "
    "NodeProvisioningMode: Continuous.",
    _GROUP,
)
LEAST_COUNT = refused(
    "ORC016",
    "a group's minimum count is not larger than its count",
    "If the minimum is larger, the group never reaches the minimum and is never in service.",
    _GROUP,
)
ONE_LIFECYCLE = refused(
    "ORC017",
    "a group's lifecycle configuration runs one script from an S3 location",
    "OnCreate replaces HyperPod's own setup, and OnInitComplete runs after HyperPod's own setup. Only one of the two can be set, "
    "to the name of a file under SourceS3Uri.",
    f"{_API}/API_ClusterLifeCycleConfig.html",
)
OTHER_ORCHESTRATOR = refused(
    "ORC018",
    "a setting belongs to the orchestrator of the cluster",
    "Slurm does not have Kubernetes labels, image releases or tiered checkpoints, and EKS does not have a Slurm configuration. "
    "HyperPod rejects such settings.",
    _REFERENCE,
)
VPC_FOR_THE_CLUSTER = refused(
    "ORC019",
    "a cluster on EKS, with file systems, or with groups in other subnets has a VPC configuration",
    "Without a VPC configuration, Slurm nodes are in a VPC of the service. A cluster on EKS always requires a VPC configuration.",
    _NEEDS,
)
VOLUMES = refused(
    "ORC020",
    "a group has at most one root volume with a key and one second volume with a size",
    "HyperPod sets the size of the root volume, and requires a key if the root volume is listed. The second volume requires a "
    "size.",
    f"{_API}/API_ClusterEbsVolumeConfig.html",
)
FILE_SYSTEMS = refused(
    "ORC021",
    "a group mounts at most one Lustre and one OpenZFS file system, in a cluster with a controller",
    "HyperPod rejects a second file system of the same type, and file systems in a Slurm cluster without a controller group.",
    _REFERENCE,
)
KARPENTER = refused(
    "ORC022",
    "a cluster with Karpenter autoscaling has continuous provisioning, automatic recovery and a cluster role",
    "HyperPod rejects autoscaling without NodeProvisioningMode: Continuous, NodeRecovery: Automatic and a "
    "ClusterRole (HYPERPOD-35).",
    f"{_GUIDE}/sagemaker-hyperpod-eks-autoscaling.html",
)
ACCESS_ENTRIES = refused(
    "ORC023",
    "the EKS cluster of a HyperPod cluster supports access entries",
    "HyperPod creates an access entry for its nodes, and rejects a cluster with the authentication mode CONFIG_MAP (HYPERPOD-38).",
    _EKS,
)
ROLE_WITHOUT_PATH = refused(
    "ORC024",
    "the execution role of nodes on EKS has no path",
    "If the role has a path, the access entry that HyperPod creates for the role does not work (HYPERPOD-38).",
    _EKS,
)
TAINTS_WITHOUT_CHECKS = refused(
    "ORC025",
    "a group with custom taints does not run deep health checks",
    "During the checks, HyperPod uses its own taint to keep jobs off the node. HyperPod rejects other taints.",
    f"{_GUIDE}/sagemaker-hyperpod-eks-resiliency-deep-health-checks.html",
)

INFERENCE_NEEDS = refused(
    "ORC033",
    "the inference operator has its role, its bucket and its cluster",
    "Without an execution role, a bucket for certificates and the HyperPod cluster, inference endpoints do not start "
    "(HYPERPOD-32).",
    f"{_GUIDE}/sagemaker-hyperpod-model-deployment-setup.html",
)

CODES = codes_of(globals())
