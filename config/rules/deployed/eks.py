"""What Amazon EKS refuses of clusters, node groups and access entries."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide"
_API = "https://docs.aws.amazon.com/eks/latest/APIReference"
_TEMPLATES = f"{_GUIDE}/launch-templates.html"
_GROUP = f"{_API}/API_CreateNodegroup.html"

TEMPLATE_LEAVES_IT = refused(
    "EKS001",
    "a node group's launch template leaves to EKS what is EKS's",
    "Subnets, the instance profile, spot requests, hibernation and shutdown behaviour are the node group's: with "
    "any of them in its launch template the node group fails (EKS-17).",
    f"{_API}/API_LaunchTemplateSpecification.html",
)
BESIDE_TEMPLATE = refused(
    "EKS002",
    "a node group with a launch template states disk size and remote access there",
    "DiskSize and RemoteAccess beside a launch template are refused.",
    _TEMPLATES,
)
TYPE_ONCE = refused(
    "EKS003",
    "instance types stand in the node group or in its launch template",
    "Both at once are refused (EKS-10).",
    _GROUP,
)
BLOCK_TEMPLATE = refused(
    "EKS004",
    "a node group on a Capacity Block has a launch template that names block and type",
    "The block's id, its market type and its instance type can be said nowhere else.",
    f"{_GUIDE}/capacity-blocks-mng.html",
)
IMAGE_FITS = refused(
    "EKS005",
    "a node group's AMI type has the architecture of its machines",
    "EKS refuses an x86_64 image on arm64 machines, and the other way round.",
    _GROUP,
)
IMAGE_ONCE = refused(
    "EKS006",
    "a node group takes its image from its AMI type or from its launch template",
    "AmiType beside an ImageId in the launch template is refused.",
    _GROUP,
)
SCALING = refused(
    "EKS007",
    "a node group's sizes are in order: least, desired, most",
    "EKS refuses others.",
    f"{_API}/API_NodegroupScalingConfig.html",
)
COUNT_OR_SHARE = refused(
    "EKS008",
    "how many nodes an update or a repair takes at once is a count or a percentage",
    "EKS refuses both at once.",
    f"{_API}/API_NodegroupUpdateConfig.html",
)
NODE_ENTRIES = refused(
    "EKS009",
    "the access entry of nodes has no groups and no access policies",
    "EKS gives the nodes of types EC2_LINUX and EC2_WINDOWS what they need, and refuses anything beside it.",
    f"{_API}/API_CreateAccessEntry.html",
)
TWO_ZONES = refused(
    "EKS010",
    "a cluster's subnets are in at least two zones",
    "EKS refuses a control plane whose subnets are all in one zone.",
    f"{_GUIDE}/network-reqs.html",
)

CODES = codes_of(globals())
