"""Codes for clusters, compute node groups and queues that AWS PCS rejects."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_GUIDE = "https://docs.aws.amazon.com/pcs/latest/userguide"
_API = "https://docs.aws.amazon.com/pcs/latest/APIReference"
_GROUP = f"{_API}/API_CreateComputeNodeGroup.html"
_BLOCKS = f"{_GUIDE}/capacity-blocks-configure-cng.html"

ONE_SUBNET = refused(
    "PCS001",
    "a PCS cluster has one subnet for its controller",
    "CreateCluster accepts exactly one subnet.",
    f"{_API}/API_NetworkingRequest.html",
)
SCALING = refused(
    "PCS002",
    "a compute node group is static (minimum equals maximum) or dynamic (minimum 0)",
    "PCS rejects other combinations, and a minimum above the maximum.",
    f"{_GUIDE}/working-with_cng_create.html",
)
BLOCK_TEMPLATE = refused(
    "PCS003",
    "a group on a Capacity Block has a launch template that names the Capacity Block",
    "The reservation ID, the market type and the instance type of a Capacity Block can only be set in a launch template. "
    "PurchaseOption and the template must agree (SLURM-07).",
    _BLOCKS,
)
SPOT_OPTIONS = refused(
    "PCS004",
    "Spot options are set only on groups of Spot instances",
    "PCS rejects Spot options on other groups.",
    _GROUP,
)
ALIKE = refused(
    "PCS005",
    "the instance types of one compute node group are of the same size",
    "All types must have the same architecture, and the same number of vCPUs and GPUs.",
    _GROUP,
)
VERSION = refused(
    "PCS006",
    "a PCS cluster runs a Slurm version that PCS supports for new clusters",
    "CreateCluster rejects other versions.",
    f"{_GUIDE}/slurm-versions.html",
    ages="the Slurm versions of new PCS clusters",
)
PURGE = refused(
    "PCS007",
    "accounting records are retained forever or for at least 1 day",
    "PCS rejects 0 days, although CloudFormation's schema allows it.",
    f"{_API}/API_AccountingRequest.html",
)
OUTPUTS = refused(
    "PCS008",
    "values that PCS generates are not set",
    "The service generates the keys. CreateCluster does not have these parameters.",
    f"{_API}/API_CreateCluster.html",
)
PARAMETERS = refused(
    "PCS009",
    "PCS supports the custom Slurm setting",
    "PCS has a list of supported settings for each resource. It rejects other settings, and an empty list (SLURM-18).",
    f"{_GUIDE}/slurm-custom-settings-cluster.html",
    ages="the Slurm settings that PCS supports",
)
NEWER_SLURM = refused(
    "PCS010",
    "a setting that needs a newer Slurm version is set only on a cluster with that version",
    "The REST API requires Slurm 25.05. Idle times of a group and several settings require 25.11. PCS rejects these settings on "
    "older clusters (SLURM-18).",
    f"{_GUIDE}/slurm-versions_release-notes.html",
)
QUOTAS = refused(
    "PCS011",
    "a PCS cluster has at most 10 compute node groups and 10 queues",
    "AWS does not increase these quotas.",
    f"{_GUIDE}/service-endpoints-quotas.html",
    ages="the quotas of a PCS cluster",
)
USER_DATA = refused(
    "PCS012",
    "the user data of a PCS node is MIME multipart",
    "PCS merges the user data with its own user data, which is MIME multipart.",
    f"{_GUIDE}/working-with_ec2-user-data.html",
)
PLACE = refused(
    "PCS013",
    "a PCS cluster's subnet is in an Availability Zone of the Region, in a VPC with default tenancy",
    "PCS does not support subnets in an Outpost, a Local Zone or a Wavelength Zone, or a VPC with dedicated tenancy.",
    f"{_GUIDE}/working-with_networking_vpc-requirements.html",
    ages="the zones and tenancies that PCS supports",
)
ROLE = refused(
    "PCS014",
    "the role of a PCS node has a name that starts with AWSPCS, or the path /aws-pcs/",
    "PCS rejects the instance profile of any other role.",
    _GROUP,
)

CODES = codes_of(globals())
