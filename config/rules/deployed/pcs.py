"""What AWS PCS refuses of clusters, node groups and queues."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_GUIDE = "https://docs.aws.amazon.com/pcs/latest/userguide"
_API = "https://docs.aws.amazon.com/pcs/latest/APIReference"
_GROUP = f"{_API}/API_CreateComputeNodeGroup.html"
_BLOCKS = f"{_GUIDE}/capacity-blocks-configure-cng.html"

ONE_SUBNET = refused(
    "PCS001",
    "a PCS cluster's controller stands in one subnet",
    "CreateCluster takes exactly one.",
    f"{_API}/API_NetworkingRequest.html",
)
SCALING = refused(
    "PCS002",
    "a compute node group is static (least and most alike) or dynamic (least 0)",
    "PCS refuses a mix, and a least above the most.",
    f"{_GUIDE}/working-with_cng_create.html",
)
BLOCK_TEMPLATE = refused(
    "PCS003",
    "a group on a Capacity Block has a launch template that names it",
    "The block's id, its market type and its instance type can be said nowhere else; PurchaseOption and the "
    "template must agree (SLURM-07).",
    _BLOCKS,
)
SPOT_OPTIONS = refused(
    "PCS004", "spot options stand on groups of spot machines", "PCS refuses them elsewhere.", _GROUP
)
ALIKE = refused(
    "PCS005",
    "the instance types of one compute node group are alike",
    "They must have one architecture and as many vCPUs and GPUs as each other.",
    _GROUP,
)
VERSION = refused(
    "PCS006",
    "a PCS cluster runs a Slurm version that PCS creates",
    "CreateCluster refuses others.",
    f"{_GUIDE}/slurm-versions.html",
    ages="the Slurm versions that PCS creates",
)
PURGE = refused(
    "PCS007",
    "accounting records are kept for ever or for at least a day",
    "0 days is refused, although CloudFormation's schema has it.",
    f"{_API}/API_AccountingRequest.html",
)
OUTPUTS = refused(
    "PCS008",
    "what PCS gives out is not given to it",
    "The keys are made by the service: CreateCluster has no such parameters.",
    f"{_API}/API_CreateCluster.html",
)
PARAMETERS = refused(
    "PCS009",
    "a custom Slurm setting is one that PCS lets through",
    "PCS has a list for each resource; others, and an empty list, are refused (SLURM-18).",
    f"{_GUIDE}/slurm-custom-settings-cluster.html",
    ages="the Slurm settings that PCS lets through",
)
NEWER_SLURM = refused(
    "PCS010",
    "what needs a newer Slurm stands on a cluster that runs it",
    "The REST API came with 25.05; idle times of a group and several settings with 25.11: PCS refuses them on "
    "older clusters (SLURM-18).",
    f"{_GUIDE}/slurm-versions_release-notes.html",
)
QUOTAS = refused(
    "PCS011",
    "a PCS cluster has at most 10 compute node groups and 10 queues",
    "Neither quota can be raised.",
    f"{_GUIDE}/service-endpoints-quotas.html",
    ages="the quotas of a PCS cluster",
)
USER_DATA = refused(
    "PCS012",
    "the user data of a PCS node is MIME multipart",
    "PCS merges it with its own, which is.",
    f"{_GUIDE}/working-with_ec2-user-data.html",
)
PLACE = refused(
    "PCS013",
    "a PCS cluster's subnet is in a zone of the Region, in a VPC of default tenancy",
    "PCS takes no subnet in an Outpost, a Local Zone or a Wavelength Zone, and no VPC of dedicated tenancy.",
    f"{_GUIDE}/working-with_networking_vpc-requirements.html",
    ages="the zones and tenancies that PCS takes",
)
ROLE = refused(
    "PCS014",
    "the role of a PCS node has a name that starts with AWSPCS, or the path /aws-pcs/",
    "PCS refuses the instance profile of any other role.",
    _GROUP,
)

CODES = codes_of(globals())
