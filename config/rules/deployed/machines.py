"""Codes for networks, launch templates and capacity references that EC2 rejects."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused, unwise

_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest"
_EFA = f"{_EC2}/UserGuide/efa-acc-inst-types.html"
_LAUNCH = f"{_EC2}/UserGuide/capacity-blocks-launch.html"

SELF_RULES = refused(
    "EFA001",
    "the security group of EFA interfaces allows all traffic from and to the same group, by its id",
    "EFA traffic has no IP addresses, so rules with CIDR blocks do not apply to EFA traffic. Without a rule for the group's id, "
    "the creation of the file system or the cluster's health check fails (EKS-18, HYPERPOD-07).",
    f"{_EC2}/UserGuide/efa-start.html",
)
INTERFACES_FIT = refused(
    "EFA002",
    "the interfaces of a launch template fit the network cards of the instance type",
    "RunInstances rejects unknown network cards, wrong interface types on a card, and device indexes out of range (EC2-03, "
    "SLURM-01, SLURM-13).",
    _EFA,
)
NO_PUBLIC_ADDRESS = refused(
    "EFA003",
    "a node with several interfaces does not request a public address",
    "EC2 does not assign a public address at launch to an instance with more than one interface, and rejects the launch (EC2-08, EKS-08).",
    f"{_EC2}/APIReference/API_InstanceNetworkInterfaceSpecification.html",
)
GROUPS_ON_INTERFACES = refused(
    "EFA004",
    "a launch template with network interfaces sets security groups on the interfaces",
    "EC2 rejects a launch template with security groups outside of its interfaces (EKS-26).",
    "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_efa_create-lt.html",
)
NO_ADDRESS_ON_EFA_ONLY = refused(
    "EFA005",
    "an efa-only interface has no addresses, prefixes or connection tracking",
    "An efa-only interface does not carry IP traffic. If it has an address, RunInstances returns InvalidParameterValue.",
    _EFA,
)
RESERVATION_IS_NAMED = refused(
    "CAP013",
    "a launch template that targets a reservation names the reservation",
    "A misspelled key can leave an empty CapacityReservationTarget. The launch fails (EKS-05).",
    f"{_EC2}/APIReference/API_CapacityReservationTarget.html",
)
BLOCK_IS_NAMED = refused(
    "CAP014",
    "a launch on a Capacity Block names the reservation",
    "EC2 rejects the market type `capacity-block` without a reservation ID. Open matching is not possible (SLURM-07).",
    _LAUNCH,
)
BLOCK_SIZES = refused(
    "NET007",
    "the CIDR blocks of a VPC and its subnets are from /16 to /28",
    "EC2 rejects larger and smaller CIDR blocks.",
    "https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
)
SUBNETS_FIT = refused(
    "NET008",
    "a subnet is in a CIDR block of its VPC, and does not overlap other subnets",
    "EC2 rejects a CIDR block outside of the VPC (InvalidSubnet.Range), and a CIDR block that overlaps another subnet "
    "(InvalidSubnet.Conflict).",
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html",
)
PINNED = unwise(
    "NET010",
    "files that a node downloads at boot have pinned versions",
    "A branch, `latest` or a package without a version changes over time. Replaced nodes then differ from older nodes, or do not "
    "boot (HYPERPOD-15, HYPERPOD-16).",
    f"{_EC2}/UserGuide/user-data.html",
)
WITHIN_REACH = unwise(
    "NET011",
    "hosts that a node contacts at boot are reachable from its network",
    "Nodes in a network without internet access reach only services that have a VPC endpoint. If a host cannot be reached, the "
    "node waits until it is replaced.",
    "https://docs.aws.amazon.com/vpc/latest/privatelink/what-is-privatelink.html",
)

CODES = codes_of(globals())
