"""Codes of what a service refuses of a resource, where no profile of today can ask for it.

They are checked when a template is deployed on the embedded cloud, and when it is reviewed: templates are
edited by hand, and other stacks use the construct library.
"""

from __future__ import annotations

from config.diagnostics import Code, Severity

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_FSX_API = "https://docs.aws.amazon.com/fsx/latest/APIReference"
_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide"
_PCS_API = "https://docs.aws.amazon.com/pcs/latest/APIReference"
_EFA = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
_HYPERPOD = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html"


def _code(code: str, holds: str, why: str, source: str) -> Code:
    return Code(code=code, severity=Severity.ERROR, holds=holds, why=why, source=source)


EFA_WANTS_METADATA = _code(
    "LUS010",
    "a file system with EFA is a persistent-2 one with a metadata configuration, Lustre 2.15",
    "FSx refuses EFA on any other file system, and neither can be added later (STORAGE-13, STORAGE-14).",
    f"{_FSX}/efa-file-systems.html",
)
NO_BACKUPS_WHEN_LINKED = _code(
    "LUS011",
    "a file system with data repository associations takes no backups",
    "FSx refuses backups of a file system that is linked to S3 (STORAGE-09).",
    f"{_FSX}/using-backups-fsx.html",
)
NO_LEGACY_PATHS = _code(
    "LUS012",
    "a persistent-2 file system is linked by data repository associations",
    "Import and export paths of the file system itself are refused there (STORAGE-11).",
    f"{_FSX_API}/API_CreateFileSystemLustreConfiguration.html",
)
LOGS_GO_TO_FSX_GROUPS = _code(
    "LUS013",
    "Lustre logs go to a log group whose name starts with /aws/fsx",
    "FSx refuses another destination.",
    f"{_FSX_API}/API_LustreLogCreateConfiguration.html",
)
LINKABLE = _code(
    "DRA009",
    "a linked file system is one that takes data repository associations",
    "Scratch-1, Intelligent-Tiering and Lustre 2.10 take none.",
    f"{_FSX_API}/API_DataRepositoryAssociation.html",
)
SELF_RULES = _code(
    "EFA001",
    "a security group of EFA interfaces allows all traffic from and to itself, by its id",
    "EFA traffic has no IP addresses: rules with blocks do not count, and the creation of the file system or the "
    "cluster's health check fails (EKS-18, HYPERPOD-07).",
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
)
INTERFACES_FIT = _code(
    "EFA002",
    "the interfaces of a launch template are ones that the type's network cards take",
    "RunInstances refuses other cards, other kinds of interface on a card and device indexes beyond it (EC2-03, "
    "SLURM-01, SLURM-13).",
    _EFA,
)
NO_PUBLIC_ADDRESS = _code(
    "EFA003",
    "a node with several interfaces asks for no public address",
    "EC2 assigns none at a launch with more than one interface, and refuses the launch (EC2-08, EKS-08).",
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html",
)
GROUPS_ON_INTERFACES = _code(
    "EFA004",
    "security groups stand on the interfaces of a launch template that has interfaces",
    "EC2 refuses both at once (EKS-26).",
    f"{_PCS}/working-with_networking_efa_create-lt.html",
)
PARTITIONS_ON_COMPUTE = _code(
    "ORC012",
    "every compute group of Slurm has one partition, and no other group has any",
    "HyperPod refuses partitions on controller and login groups, and a compute group without one.",
    _HYPERPOD,
)
STRATEGY_WITHOUT_CONTINUOUS = _code(
    "ORC013",
    "a Slurm configuration strategy is stated only without continuous provisioning",
    "HyperPod refuses both at once.",
    "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterOrchestratorSlurmConfig.html",
)
PCS_ONE_SUBNET = _code(
    "PCS001",
    "a PCS cluster's controller stands in one subnet",
    "CreateCluster takes exactly one.",
    f"{_PCS_API}/API_NetworkingRequest.html",
)
PCS_SCALING = _code(
    "PCS002",
    "a compute node group is static (least and most alike) or dynamic (least 0)",
    "PCS refuses a mix, and a least above the most.",
    f"{_PCS}/working-with_cng_create.html",
)
PCS_BLOCK_TEMPLATE = _code(
    "PCS003",
    "a group on a Capacity Block has a launch template that names it",
    "The block's id and its market type can be said nowhere else.",
    f"{_PCS}/capacity-blocks-configure-cng.html",
)
PCS_SPOT_OPTIONS = _code(
    "PCS004",
    "spot options stand on groups of spot machines",
    "PCS refuses them elsewhere.",
    f"{_PCS_API}/API_CreateComputeNodeGroup.html",
)
PCS_ALIKE = _code(
    "PCS005",
    "the instance types of one compute node group are alike",
    "They must have one architecture and as many vCPUs and GPUs as each other.",
    f"{_PCS_API}/API_CreateComputeNodeGroup.html",
)
PCS_VERSION = _code(
    "PCS006",
    "a PCS cluster runs a Slurm version that PCS creates",
    "CreateCluster refuses others.",
    f"{_PCS}/slurm-versions.html",
)
PCS_PURGE = _code(
    "PCS007",
    "accounting records are kept for ever or for at least a day",
    "0 days is refused, although CloudFormation's schema has it.",
    f"{_PCS_API}/API_AccountingRequest.html",
)
PCS_OUTPUTS = _code(
    "PCS008",
    "what PCS gives out is not given to it",
    "The keys are made by the service: CreateCluster has no such parameters.",
    f"{_PCS_API}/API_CreateCluster.html",
)
PCS_PARAMETERS = _code(
    "PCS009",
    "a custom Slurm setting is one that PCS lets through",
    "PCS has a list for each resource; others, and an empty list, are refused (SLURM-18).",
    f"{_PCS}/slurm-custom-settings-cluster.html",
)

CODES = tuple(value for value in list(globals().values()) if isinstance(value, Code))
