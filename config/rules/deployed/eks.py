"""Codes for clusters, node groups and access entries that Amazon EKS rejects."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide"
_API = "https://docs.aws.amazon.com/eks/latest/APIReference"
_TEMPLATES = f"{_GUIDE}/launch-templates.html"
_GROUP = f"{_API}/API_CreateNodegroup.html"

TEMPLATE_LEAVES_IT = refused(
    "EKS001",
    "a node group's launch template does not have settings that EKS controls",
    "Subnets, the instance profile, Spot requests, hibernation and shutdown behavior are settings of the node group. If "
    "the launch template has one of them, the creation of the node group fails (EKS-17).",
    f"{_API}/API_LaunchTemplateSpecification.html",
)
BESIDE_TEMPLATE = refused(
    "EKS002",
    "a node group with a launch template sets disk size and remote access in the template",
    "EKS rejects DiskSize and RemoteAccess on a node group that has a launch template.",
    _TEMPLATES,
)
TYPE_ONCE = refused(
    "EKS003",
    "instance types are set either in the node group or in its launch template",
    "EKS rejects a node group if both set instance types (EKS-10).",
    _GROUP,
)
BLOCK_TEMPLATE = refused(
    "EKS004",
    "a node group on a Capacity Block has a launch template with reservation ID and instance type",
    "The reservation ID, the market type and the instance type of a Capacity Block can only be set in a launch template.",
    f"{_GUIDE}/capacity-blocks-mng.html",
)
IMAGE_FITS = refused(
    "EKS005",
    "a node group's AMI type has the architecture of its instances",
    "EKS rejects an x86_64 image for arm64 instances, and an arm64 image for x86_64 instances.",
    _GROUP,
)
IMAGE_ONCE = refused(
    "EKS006",
    "a node group's image is set either by its AMI type or by its launch template",
    "EKS rejects AmiType if the launch template has an ImageId.",
    _GROUP,
)
SCALING = refused(
    "EKS007",
    "a node group's sizes are in order: minimum, desired, maximum",
    "EKS rejects sizes in another order.",
    f"{_API}/API_NodegroupScalingConfig.html",
)
COUNT_OR_SHARE = refused(
    "EKS008",
    "the number of nodes that an update or repair replaces in parallel is either a count or a percentage",
    "EKS rejects a node group that sets a count and a percentage.",
    f"{_API}/API_NodegroupUpdateConfig.html",
)
NODE_ENTRIES = refused(
    "EKS009",
    "the access entry of nodes has no groups and no access policies",
    "EKS grants nodes of the types EC2_LINUX and EC2_WINDOWS the permissions that they need, and rejects additional permissions.",
    f"{_API}/API_CreateAccessEntry.html",
)
TWO_ZONES = refused(
    "EKS010",
    "a cluster's subnets are in at least two Availability Zones",
    "EKS rejects a control plane whose subnets are all in one Availability Zone.",
    f"{_GUIDE}/network-reqs.html",
)

CODES = codes_of(globals())
