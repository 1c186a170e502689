"""What HyperPod refuses of a cluster and its groups."""

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
    "every compute group of Slurm has one partition, and no other group has any",
    "HyperPod refuses partitions on controller and login groups, and a compute group without one.",
    _REFERENCE,
)
STRATEGY_WITHOUT_CONTINUOUS = refused(
    "ORC013",
    "a Slurm configuration strategy is stated only without continuous provisioning",
    "HyperPod refuses both at once.",
    f"{_API}/API_ClusterOrchestratorSlurmConfig.html",
)
ONE_KIND_OF_TYPE = refused(
    "ORC014",
    "a group states its instance type, or the types that it may have, and not both",
    "InstanceType and InstanceRequirements exclude each other, and one of them must be there.",
    _GROUP,
)
CONTINUOUS_ONLY = refused(
    "ORC015",
    "what needs continuous provisioning is stated only with it",
    "A least count, several instance types and an accounting database of one's own are refused without "
    "NodeProvisioningMode: Continuous.",
    _GROUP,
)
LEAST_COUNT = refused(
    "ORC016",
    "a group's least count is not above its count",
    "The group could never come into service.",
    _GROUP,
)
ONE_LIFECYCLE = refused(
    "ORC017",
    "a group's lifecycle configuration runs one script, from a place in S3",
    "OnCreate replaces HyperPod's own set-up and OnInitComplete follows it: they exclude each other, and either "
    "is the name of a file under SourceS3Uri.",
    f"{_API}/API_ClusterLifeCycleConfig.html",
)
OTHER_ORCHESTRATOR = refused(
    "ORC018",
    "a setting is one of the cluster's own orchestrator",
    "Slurm has no Kubernetes labels, image releases or tiered checkpoints, and EKS has no Slurm configuration: "
    "HyperPod refuses them.",
    _REFERENCE,
)
VPC_FOR_THE_CLUSTER = refused(
    "ORC019",
    "a cluster on EKS, with file systems, or with groups in other subnets has a VPC configuration",
    "Without one the nodes of Slurm stand in a VPC of the service; EKS asks for one in any case.",
    _NEEDS,
)
VOLUMES = refused(
    "ORC020",
    "a group has at most a root volume with a key and a second volume with a size",
    "HyperPod sizes the root volume itself, and wants a key for it where it is named; the other one wants a size.",
    f"{_API}/API_ClusterEbsVolumeConfig.html",
)
FILE_SYSTEMS = refused(
    "ORC021",
    "a group mounts at most one Lustre and one OpenZFS file system, in a cluster with a controller",
    "HyperPod refuses a second one of either kind, and file systems of a Slurm cluster without a controller group.",
    _REFERENCE,
)
KARPENTER = refused(
    "ORC022",
    "a cluster that Karpenter scales provisions continuously, recovers by itself, and has a role for it",
    "HyperPod refuses autoscaling without NodeProvisioningMode: Continuous, NodeRecovery: Automatic and a "
    "ClusterRole (HYPERPOD-35).",
    f"{_GUIDE}/sagemaker-hyperpod-eks-autoscaling.html",
)
ACCESS_ENTRIES = refused(
    "ORC023",
    "the EKS cluster of a HyperPod cluster takes access entries",
    "HyperPod makes one for its nodes, and refuses a cluster with the authentication mode CONFIG_MAP (HYPERPOD-38).",
    _EKS,
)
ROLE_WITHOUT_PATH = refused(
    "ORC024",
    "the execution role of nodes on EKS has no path",
    "A role with a path breaks the access entry that HyperPod makes for it (HYPERPOD-38).",
    _EKS,
)
TAINTS_WITHOUT_CHECKS = refused(
    "ORC025",
    "a group with taints of its own runs no deep health checks",
    "While the checks run, HyperPod keeps jobs off with a taint of its own; custom ones cannot be added.",
    f"{_GUIDE}/sagemaker-hyperpod-eks-resiliency-deep-health-checks.html",
)

INFERENCE_NEEDS = refused(
    "ORC033",
    "the inference operator is told its role, its bucket and its cluster",
    "Without its execution role, a bucket for certificates and the HyperPod cluster endpoints never come up "
    "(HYPERPOD-32).",
    f"{_GUIDE}/sagemaker-hyperpod-model-deployment-setup.html",
)

CODES = codes_of(globals())
