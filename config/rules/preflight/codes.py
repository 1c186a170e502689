"""Every code of `ultracluster preflight`: the profile is right by itself, and the account says otherwise.

An account's facts change with every day. Only what AWS itself may have changed since is an error to be waived.
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
    "A deployment with credentials of another account is refused by the CDK CLI; nothing else is asked of it.",
    "https://docs.aws.amazon.com/cdk/v2/guide/environments.html",
)
REGION_ON = _error(
    "PRE002",
    "the Region is on for the account",
    "A Region that is not on answers no call, whatever the permissions: its opt-in takes minutes, at times hours.",
    _REGIONS,
)
ZONE_ON = _error(
    "PRE003",
    "the zones of the profile are there and on for the account",
    "A subnet in a zone that the account does not have, or in a Local Zone that it has not opted in to, is refused.",
    "https://docs.aws.amazon.com/local-zones/latest/ug/getting-started.html",
)
TYPE_OFFERED = _error(
    "PRE004",
    "EC2 offers the instance type in the zone of its group",
    "A launch in a zone that does not offer the type fails as Unsupported, whatever is reserved elsewhere.",
    f"{_EC2}/APIReference/API_DescribeInstanceTypeOfferings.html",
    ages="what a zone offers",
)
NO_PLACEHOLDER = _error(
    "PRE005",
    "no placeholder of an example is left in the profile",
    "The reservation that an example names is nobody's: the deployment fails at its machines, after everything else.",
    _PLANS,
)
QUOTA = _error(
    "PRE006",
    "the quotas of the account cover what the profile needs",
    "A launch or a creation beyond a quota fails, and raising one can take days; what the account runs already "
    "counts too.",
    "https://docs.aws.amazon.com/servicequotas/latest/userguide/request-quota-increase.html",
    ages="a quota, when it is asked to",
)
RESERVED = _error(
    "PRE010",
    "what machines are reserved with is there, and usable",
    "A reservation that has expired, failed or was cancelled holds no machines: the group stays empty.",
    _RESERVATIONS,
)
RESERVED_WHERE = _error(
    "PRE011",
    "a reservation is for the type and the zone of its group",
    "Machines of another type, or in another zone, are not used: the group launches on demand or not at all.",
    _RESERVATIONS,
)
RESERVED_MACHINES = _error(
    "PRE012",
    "a reservation has machines free for its groups",
    "Beyond what is free, launches fail for want of capacity, and the first deployment is rolled back.",
    _RESERVATIONS,
)
RESERVED_AS_STATED = _error(
    "PRE013",
    "what the profile states of a reservation is what AWS says of it",
    "The calendar, the last checkpoints, the price and the review go by the dates and the number that the profile states.",
    _RESERVATIONS,
)
RESERVED_NOW = _warning(
    "PRE014",
    "a reservation has begun when its group is launched",
    "Before it begins nothing can be launched into it: a node group that wants its nodes at once fails.",
    "https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html",
)
RESERVED_HOW = _error(
    "PRE015",
    "a reservation matches launches as the profile says",
    "A launch that names no reservation uses open ones alone; one into another placement group, or on a Capacity "
    "Block as if it were an ODCR, is refused.",
    f"{_EC2}/UserGuide/capacity-reservations-launch.html",
)
PLACEMENT = _error(
    "PRE016",
    "a placement group that the profile names is there, for clusters",
    "A launch into a group that is not there fails; another strategy puts the nodes apart.",
    f"{_EC2}/UserGuide/placement-groups.html",
)
NETWORK = _error(
    "PRE020",
    "a network that exists is as the profile states it",
    "Addresses, zones and security rules are worked out from what the profile states: launches and mounts fail where "
    "it is otherwise.",
    f"{_VPC}/userguide/configure-subnets.html",
)
ADDRESSES = _error(
    "PRE021",
    "a subnet that exists has the addresses that the cluster takes",
    "Launches beyond the last free address fail as InsufficientFreeAddressesInSubnet.",
    f"{_VPC}/userguide/subnet-sizing.html",
)
DNS = _error(
    "PRE022",
    "the VPC resolves names",
    "File systems, interface endpoints and EKS are reached by DNS names, which the VPC gives only with both settings on.",
    f"{_VPC}/userguide/vpc-dns.html",
)
BUCKET = _error(
    "PRE030",
    "a bucket that the profile names is there, in the Region that it states",
    "FSx checks the bucket when it makes the link, and imports from its own Region alone.",
    f"{_FSX}/create-dra-linked-data-repo.html",
)
BUCKET_POLICY = _warning(
    "PRE031",
    "no statement of a bucket's policy keeps the cluster out",
    "A denial counts before every permission: FSx, which comes from no endpoint of yours, is then kept out as well.",
    f"{_FSX}/s3-validation-error.html",
)
BUCKET_KEY = _error(
    "PRE032",
    "the key of a bucket is the one that the profile states",
    "FSx needs the use of that key: without it the link is made, and no file can be read.",
    f"{_FSX}/s3-server-side-encryption-support.html",
)
BUCKET_VERSIONS = _note(
    "PRE033",
    "a bucket that the file system exports to keeps what is overwritten",
    "Exports overwrite and delete objects: without versions a checkpoint that was overwritten is gone.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",
)
FILE_SYSTEM = _error(
    "PRE034",
    "a file system that exists is as the profile states it",
    "Mounts, speeds and security rules are worked out from what the profile states.",
    "https://docs.aws.amazon.com/fsx/latest/APIReference/API_DescribeFileSystems.html",
)
KEY = _error(
    "PRE040",
    "a key that the profile names can encrypt",
    "What is encrypted with a key that is disabled or about to be deleted cannot be created, and later not be read.",
    "https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html",
)
KEY_POLICY = _warning(
    "PRE041",
    "the policy of a key lets the account's roles and services use it",
    "Without a statement for the account, policies of roles count for nothing on a key, and the services that act for "
    "them are refused.",
    "https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html",
)
SECRET = _error(
    "PRE042",
    "a secret that the profile names is there",
    "Nodes and functions read it when they start; one that is being deleted cannot be read.",
    "https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html",
)
NAMED_THING = _error(
    "PRE043",
    "a topic or role that the profile names is there",
    "EKS refuses an access entry for a role that is not there, and a message to no topic is lost.",
    "https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
)
IMAGE_PARAMETER = _error(
    "PRE050",
    "AWS publishes an image of the kind that the nodes take",
    "A version or an architecture without an image has no nodes.",
    "https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters-ami.html",
    ages="the images that it publishes",
)
IMAGE = _error(
    "PRE051",
    "an image that the profile pins can be launched",
    "An image that is not there, not shared, disabled or of another architecture starts no machine.",
    f"{_EC2}/UserGuide/ec2-instances-and-amis.html",
)
IMAGE_DATE = _warning(
    "PRE052",
    "an image that the profile pins is not deprecated",
    "A deprecated image still starts, gets no repairs, and can go at any time if it is not yours.",
    f"{_EC2}/UserGuide/ami-deprecate.html",
)
BOOTSTRAP = _error(
    "PRE060",
    "the CDK bootstrap of the Region is there, and new enough",
    "The CDK CLI deploys through the bootstrap's bucket and roles, and refuses one that is older than the stack asks for.",
    "https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html",
)
BOUNDARY = _error(
    "PRE061",
    "the permissions boundary that the profile names is there",
    "Every role of the stack names it: the first one fails, and nothing is deployed.",
    f"{_IAM}/access_policies_boundaries.html",
)
LINKED_ROLE = _note(
    "PRE062",
    "the service-linked roles are there, or are made by the first use",
    "A service makes its role when it is first used, if whoever uses it may create it (iam:CreateServiceLinkedRole).",
    f"{_IAM}/id_roles_create-service-linked-role.html",
)
STACK = _error(
    "PRE063",
    "a stack of the profile's name is this profile's, and can be deployed to",
    "A deployment over another stack deletes what that one made; one that is being changed, or whose creation was "
    "rolled back, takes no update.",
    f"{_CFN}/UserGuide/view-stack-events.html",
)
NAMES = _warning(
    "PRE064",
    "the names that the stack gives are free",
    "CloudFormation makes no resource whose name is taken: what an earlier stack left, or another made, fails the creation.",
    f"{_CFN}/TemplateReference/aws-properties-name.html",
)
LEFT = _note(
    "PRE065",
    "no file system of an earlier stack of the profile is left",
    "The stack makes a new, empty one beside it: the old one keeps its files, and bills on.",
    f"{_CFN}/TemplateReference/aws-attribute-deletionpolicy.html",
)
DATA = _error(
    "PRE070",
    "the data profile is deployed, and publishes what the cluster reads",
    "CloudFormation resolves the parameters when it makes the cluster's resources: without one, the stack fails.",
    f"{_CFN}/UserGuide/dynamic-references-ssm.html",
)
DATA_AS_PLANNED = _error(
    "PRE071",
    "what the data profile published is what this plan reckons with",
    "The cluster would stand in other subnets, or mount another file system, than the ones that were planned and reviewed.",
    f"{_CFN}/UserGuide/dynamic-references-ssm.html",
)
IDENTITY_CENTER = _error(
    "PRE080",
    "IAM Identity Center is there where Grafana signs in by it",
    "Without it the creation of the workspace fails, and everything is rolled back.",
    "https://docs.aws.amazon.com/grafana/latest/userguide/authentication-in-AMG-SSO.html",
)
REGISTRY = _error(
    "PRE081",
    "repositories and caches that the profile says exist are there",
    "Nodes pull from them: without one, pods and jobs find no image.",
    "https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache.html",
)

CODES = codes_of(globals())
"""All of them, in the order of the page."""
