"""Codes of `ultracluster preflight`: the profile is valid, but the account does not match it.

An error can be waived only if AWS may have changed the fact since the check, because an account changes every
day.
"""

from __future__ import annotations

from functools import partial

from config.diagnostics import Severity, codes_of, made_code

_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest"
_VPC = "https://docs.aws.amazon.com/vpc/latest"
_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_CFN = "https://docs.aws.amazon.com/AWSCloudFormation/latest"
_IAM = "https://docs.aws.amazon.com/IAM/latest/UserGuide"
_REGIONS = "https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html"
_RESERVATIONS = f"{_EC2}/APIReference/API_CapacityReservation.html"
_PLANS = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingPlan.html"


_error, _warning, _note = (partial(made_code, severity) for severity in Severity)

ACCOUNT = _error(
    "PRE001",
    "the credentials are those of the profile's account",
    "The CDK CLI rejects a deployment with credentials of another account. Preflight then runs no other check.",
    "https://docs.aws.amazon.com/cdk/v2/guide/environments.html",
)
REGION_ON = _error(
    "PRE002",
    "the Region is enabled for the account",
    "A Region that is not enabled rejects every call, even with full permissions. Enabling a Region takes minutes, and sometimes "
    "hours.",
    _REGIONS,
)
ZONE_ON = _error(
    "PRE003",
    "the profile's zones exist and are enabled for the account",
    "EC2 rejects a subnet in a zone that the account does not have, or in a Local Zone that is not enabled.",
    "https://docs.aws.amazon.com/local-zones/latest/ug/getting-started.html",
)
TYPE_OFFERED = _error(
    "PRE004",
    "EC2 offers the instance type in the zone of its group",
    "A launch in a zone that does not offer the type fails with Unsupported, even if capacity is reserved in another zone.",
    f"{_EC2}/APIReference/API_DescribeInstanceTypeOfferings.html",
    ages="the offers of a zone",
)
NO_PLACEHOLDER = _error(
    "PRE005",
    "the profile does not contain a placeholder from an example",
    "The reservation in an example does not exist. The deployment fails when it starts the instances, after all other resources are created.",
    _PLANS,
)
QUOTA = _error(
    "PRE006",
    "the quotas of the account cover what the profile needs",
    "A launch or creation above a quota fails, and an increase can take days. "
    "Resources that the account already runs count toward the quota.",
    "https://docs.aws.amazon.com/servicequotas/latest/userguide/request-quota-increase.html",
    ages="a quota, on request",
)
RESERVED = _error(
    "PRE010",
    "the reservation of a group exists and is usable",
    "A reservation that has expired, failed or was cancelled has no instances, so the group remains empty.",
    _RESERVATIONS,
)
RESERVED_WHERE = _error(
    "PRE011",
    "a reservation has the instance type and the zone of its group",
    "Instances of another type or in another zone do not use the reservation. The group then launches on demand, or does not "
    "launch.",
    _RESERVATIONS,
)
RESERVED_MACHINES = _error(
    "PRE012",
    "a reservation has enough free instances for its groups",
    "When no instance is free, launches fail because of insufficient capacity, and the first deployment is rolled back.",
    _RESERVATIONS,
)
RESERVED_AS_STATED = _error(
    "PRE013",
    "the dates and sizes of reservations in the profile match AWS",
    "The calendar, the last checkpoints, the price and the review use the dates and the number of instances in the profile.",
    _RESERVATIONS,
)
RESERVED_NOW = _warning(
    "PRE014",
    "a reservation has started when its group is launched",
    "A launch into the reservation fails before its start time, so the creation of a node group with nodes fails.",
    "https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html",
)
RESERVED_HOW = _error(
    "PRE015",
    "the type, the matching and the placement group of a reservation are as the profile declares",
    "A launch without a reservation id uses only open reservations. EC2 rejects a launch into another placement group, and a "
    "launch into a Capacity Block that the profile declares as an ODCR.",
    f"{_EC2}/UserGuide/capacity-reservations-launch.html",
)
PLACEMENT = _error(
    "PRE016",
    "a placement group that the profile names exists and has the strategy cluster",
    "A launch into a placement group that does not exist fails. With another strategy, EC2 places the nodes far from each other.",
    f"{_EC2}/UserGuide/placement-groups.html",
)
NETWORK = _error(
    "PRE020",
    "an existing network matches the profile",
    "Addresses, zones and security rules are planned from the profile. If the network differs, launches and mounts "
    "fail.",
    f"{_VPC}/userguide/configure-subnets.html",
)
ADDRESSES = _error(
    "PRE021",
    "an existing subnet has enough free addresses for the cluster",
    "Launches fail with InsufficientFreeAddressesInSubnet when no address is free.",
    f"{_VPC}/userguide/subnet-sizing.html",
)
DNS = _error(
    "PRE022",
    "the VPC resolves DNS names",
    "File systems, interface endpoints and EKS are reached by DNS names. The VPC resolves these names only if both DNS settings are on.",
    f"{_VPC}/userguide/vpc-dns.html",
)
BUCKET = _error(
    "PRE030",
    "a bucket that the profile names exists in the declared Region",
    "FSx checks the bucket when it creates the data repository association. Imports work only from the file system's Region.",
    f"{_FSX}/create-dra-linked-data-repo.html",
)
BUCKET_POLICY = _warning(
    "PRE031",
    "the bucket's policy does not deny access to the cluster",
    "A Deny statement overrides every Allow statement. It also denies access to FSx, which does not use your VPC endpoints.",
    f"{_FSX}/s3-validation-error.html",
)
BUCKET_KEY = _error(
    "PRE032",
    "the bucket's encryption key is the key that the profile declares",
    "FSx needs permission to use the key of the bucket. Without this permission, the data repository association is created, but "
    "files cannot be read.",
    f"{_FSX}/s3-server-side-encryption-support.html",
)
BUCKET_VERSIONS = _note(
    "PRE033",
    "a bucket that receives exports has versioning enabled",
    "Exports overwrite and delete objects. Without versioning, an overwritten checkpoint is lost.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",
)
FILE_SYSTEM = _error(
    "PRE034",
    "an existing file system matches the profile",
    "Mounts, throughput and security rules are planned from the profile.",
    "https://docs.aws.amazon.com/fsx/latest/APIReference/API_DescribeFileSystems.html",
)
KEY = _error(
    "PRE040",
    "a key that the profile names can encrypt",
    "If a key is disabled or pending deletion, resources cannot be created, and encrypted data cannot be read later.",
    "https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html",
)
KEY_POLICY = _warning(
    "PRE041",
    "the key's policy allows the account's roles and services to use it",
    "Without a statement for the account, IAM policies of roles do not apply to the key, and services that act for "
    "these roles are denied access.",
    "https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html",
)
SECRET = _error(
    "PRE042",
    "a secret that the profile names exists",
    "Nodes and functions read the secret when they start. A secret that is scheduled for deletion cannot be read.",
    "https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html",
)
NAMED_THING = _error(
    "PRE043",
    "a topic or role that the profile names exists",
    "EKS rejects an access entry for a role that does not exist. Messages to a topic that does not exist are lost.",
    "https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
)
IMAGE_PARAMETER = _error(
    "PRE050",
    "AWS publishes an image for the version and architecture of the nodes",
    "Nodes cannot start if AWS does not publish an image for their version and architecture.",
    "https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters-ami.html",
    ages="the images that it publishes",
)
IMAGE = _error(
    "PRE051",
    "an image that the profile pins can be launched",
    "An instance does not start with an image that does not exist, is not shared, is disabled, or has another architecture.",
    f"{_EC2}/UserGuide/ec2-instances-and-amis.html",
)
IMAGE_DATE = _warning(
    "PRE052",
    "an image that the profile pins is not deprecated",
    "A node with a deprecated image still starts, but the image gets no fixes. If another account owns the image, that account "
    "can remove it at any time.",
    f"{_EC2}/UserGuide/ami-deprecate.html",
)
BOOTSTRAP = _error(
    "PRE060",
    "the Region has a CDK bootstrap stack with a sufficient version",
    "The CDK CLI deploys through the bucket and roles of the bootstrap stack. It rejects a version that is older than the stack requires.",
    "https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html",
)
BOUNDARY = _error(
    "PRE061",
    "the permissions boundary that the profile names exists",
    "Every role of the stack uses the boundary. If the boundary does not exist, the creation of the first role fails, and the "
    "deployment stops.",
    f"{_IAM}/access_policies_boundaries.html",
)
LINKED_ROLE = _note(
    "PRE062",
    "the service-linked roles exist, or are created at first use",
    "A service creates its role at first use, if the caller has the permission iam:CreateServiceLinkedRole.",
    f"{_IAM}/id_roles_create-service-linked-role.html",
)
STACK = _error(
    "PRE063",
    "a stack with the profile's name belongs to this profile and can be updated",
    "A deployment over another stack deletes the resources of that stack. A stack that is being changed, or whose creation was "
    "rolled back, cannot be updated.",
    f"{_CFN}/UserGuide/view-stack-events.html",
)
NAMES = _warning(
    "PRE064",
    "no other resource has a physical name of the stack",
    "CloudFormation does not create a resource whose name exists. If an earlier stack or another stack retained a resource with "
    "this name, the creation fails.",
    f"{_CFN}/TemplateReference/aws-properties-name.html",
)
LEFT = _note(
    "PRE065",
    "no file system of an earlier stack with the same profile exists",
    "The stack creates a new, empty file system. The old file system keeps its files and is still billed.",
    f"{_CFN}/TemplateReference/aws-attribute-deletionpolicy.html",
)
DATA = _error(
    "PRE070",
    "the data profile is deployed and publishes the parameters that the cluster reads",
    "CloudFormation resolves the parameters when it creates the cluster's resources. If a parameter is missing, the stack fails.",
    f"{_CFN}/UserGuide/dynamic-references-ssm.html",
)
DATA_AS_PLANNED = _error(
    "PRE071",
    "the values that the data profile published match this plan",
    "If the values differ, the cluster does not use the subnets or file system that were planned and reviewed.",
    f"{_CFN}/UserGuide/dynamic-references-ssm.html",
)
IDENTITY_CENTER = _error(
    "PRE080",
    "IAM Identity Center is enabled if Grafana uses it for sign-in",
    "Without IAM Identity Center, the creation of the workspace fails, and the deployment is rolled back.",
    "https://docs.aws.amazon.com/grafana/latest/userguide/authentication-in-AMG-SSO.html",
)
REGISTRY = _error(
    "PRE081",
    "existing repositories and caches that the profile names exist",
    "Nodes pull images from these repositories and caches. If a repository or cache is missing, pods and jobs cannot pull their "
    "image.",
    "https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache.html",
)

CODES = codes_of(globals())
"""All codes, in the order of the page."""
