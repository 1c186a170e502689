"""What EC2 refuses of networks, launch templates and the capacity that they name."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused, unwise

_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest"
_EFA = f"{_EC2}/UserGuide/efa-acc-inst-types.html"
_LAUNCH = f"{_EC2}/UserGuide/capacity-blocks-launch.html"

SELF_RULES = refused(
    "EFA001",
    "a security group of EFA interfaces allows all traffic from and to itself, by its id",
    "EFA traffic has no IP addresses: rules with blocks do not count, and the creation of the file system or the "
    "cluster's health check fails (EKS-18, HYPERPOD-07).",
    f"{_EC2}/UserGuide/efa-start.html",
)
INTERFACES_FIT = refused(
    "EFA002",
    "the interfaces of a launch template are ones that the type's network cards take",
    "RunInstances refuses other cards, other kinds of interface on a card and device indexes beyond it (EC2-03, "
    "SLURM-01, SLURM-13).",
    _EFA,
)
NO_PUBLIC_ADDRESS = refused(
    "EFA003",
    "a node with several interfaces asks for no public address",
    "EC2 assigns none at a launch with more than one interface, and refuses the launch (EC2-08, EKS-08).",
    f"{_EC2}/APIReference/API_InstanceNetworkInterfaceSpecification.html",
)
GROUPS_ON_INTERFACES = refused(
    "EFA004",
    "security groups stand on the interfaces of a launch template that has interfaces",
    "EC2 refuses both at once (EKS-26).",
    "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_efa_create-lt.html",
)
NO_ADDRESS_ON_EFA_ONLY = refused(
    "EFA005",
    "an efa-only interface has no addresses, prefixes or connection tracking",
    "It carries no IP: RunInstances answers InvalidParameterValue.",
    _EFA,
)
RESERVATION_IS_NAMED = refused(
    "CAP013",
    "a launch template that targets a reservation names it",
    "An empty CapacityReservationTarget is what a misspelt key leaves behind; the launch fails (EKS-05).",
    f"{_EC2}/APIReference/API_CapacityReservationTarget.html",
)
BLOCK_IS_NAMED = refused(
    "CAP014",
    "a launch on a Capacity Block names the block",
    "The market type capacity-block without the block's id is refused; open matching is not possible (SLURM-07).",
    _LAUNCH,
)
BLOCK_SIZES = refused(
    "NET007",
    "the blocks of a VPC and its subnets are from /16 to /28",
    "EC2 refuses larger and smaller ones.",
    "https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
)
SUBNETS_FIT = refused(
    "NET008",
    "a subnet lies in a block of its VPC, beside the other subnets",
    "EC2 refuses a block outside the VPC's (InvalidSubnet.Range) and one that another subnet has a part of "
    "(InvalidSubnet.Conflict).",
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html",
)
PINNED = unwise(
    "NET010",
    "what a node fetches at boot is pinned",
    "A branch, `latest` or a package without a version is something else tomorrow: nodes that are replaced then differ "
    "from the others, or do not boot (HYPERPOD-15, HYPERPOD-16).",
    f"{_EC2}/UserGuide/user-data.html",
)
WITHIN_REACH = unwise(
    "NET011",
    "what a node fetches at boot is within reach of its network",
    "A network without a way out reaches the services that it has endpoints for, and nothing else: the node waits "
    "until it is replaced.",
    "https://docs.aws.amazon.com/vpc/latest/privatelink/what-is-privatelink.html",
)

CODES = codes_of(globals())
