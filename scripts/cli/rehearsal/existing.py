"""Before a deployment, create in the embedded cloud the resources that a profile declares as existing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from botocore.exceptions import ClientError

from config.cluster import load_cluster
from config.design.storage.lustre import declared_lustre
from config.profile.model import Profile
from config.profile.network import ExistingNetwork, ExistingSubnet
from config.profile.observability.metrics import ExistingGrafana
from config.profile.storage.lustre import NewLustre
from scripts.cloud.extensions.predefined_ids import NAME, TAG
from scripts.cloud.grafana.own import TOKEN

from .errors import RehearsalError
from .profile_values import boundaries, folder_buckets, groups, images, keys, roles, secrets, subnets, topics
from .progress import step
from .target import Target, every

_FIRST_REGION = "us-east-1"
"""The Region whose buckets do not have a location constraint
(https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucketConfiguration.html)."""

_EVERYTHING = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}

_ELSEWHERE = "192.168.0.0/16"
_DECLARED = "which the profile declares as existing"


def create_existing(profile: str, orchestrator: str | None, target: Target) -> None:
    """Create in the embedded cloud the resources that a profile declares as existing; skipped on AWS."""
    design = load_cluster(profile, orchestrator=orchestrator).design
    if target.cloud is not None and design is not None:
        create_declared(target, design.profile)


class Place(Protocol):
    """An account of the embedded cloud."""

    @property
    def account(self) -> str:
        """Return the account number."""

    def client(self, service: str, region: str) -> Any:
        """Return a boto3 client."""


def create_declared(place: Place, profile: Profile) -> None:
    """Create missing resources with the ids and ARNs in the profile.

    Databases and file systems are not created: only nodes use them, and the embedded cloud has no nodes.
    """
    create_network(place.client("ec2", profile.region), profile)
    create_things(place, profile)
    create_token(place, profile)
    create_buckets(place, profile)
    create_roles(place, profile)
    create_boundaries(place, profile)


def create_roles(target: Place, profile: Profile) -> None:
    """Create the missing roles of this account; EKS checks that they exist."""
    iam, own = target.client("iam", profile.region), f"::{target.account}:role/"
    there = {role["Arn"] for role in every(iam, "list_roles", "Roles")}
    for arn in roles(profile):
        if own in arn and arn not in there:
            path, _, name = f"/{arn.partition(own)[2]}".rpartition("/")
            with step(f"create the role {name}, {_DECLARED}"):
                iam.create_role(RoleName=name, Path=f"{path}/", AssumeRolePolicyDocument="{}")


def create_boundaries(target: Place, profile: Profile) -> None:
    """Create the missing policies of this account; they allow everything."""
    iam, own = target.client("iam", profile.region), f"::{target.account}:policy/"
    policies = every(iam, "list_policies", "Policies", Scope="Local")
    there = {policy["Arn"].partition(own)[2] for policy in policies}
    for declared in boundaries(profile):
        named = declared.partition(own)[2] if declared.startswith("arn:") else declared
        if named and named not in there:
            path, _, name = f"/{named}".rpartition("/")
            with step(f"create the policy {name}, {_DECLARED}"):
                iam.create_policy(PolicyName=name, Path=f"{path}/", PolicyDocument=json.dumps(_EVERYTHING))


def create_things(target: Place, profile: Profile) -> None:
    """Create missing keys and secrets of any account, topics of this account, and images."""
    for what, service, names, there, make in (
        ("the key", "kms", keys(profile), _key_is_there, _create_key),
        ("the secret", "secretsmanager", secrets(profile), _secret_is_there, _create_secret),
        ("the topic", "sns", _own(topics(profile), target.account), _topic_is_there, _create_topic),
        ("the image", "ec2", images(profile), _image_is_there, _create_image),
    ):
        for name in names:
            client = target.client(service, profile.region)
            if there(client, name):
                continue
            try:
                with step(f"create {what} {name}, {_DECLARED}"):
                    make(client, name)
            except ClientError as error:
                raise RehearsalError(f"the embedded cloud cannot create {what} {name}: {error}") from None


def create_token(target: Place, profile: Profile) -> None:
    """Write an existing Grafana's version into its token, so that the embedded cloud emulates it."""
    grafana = profile.observability.grafana if profile.observability else None
    if isinstance(grafana, ExistingGrafana):
        target.client("secretsmanager", profile.region).put_secret_value(
            SecretId=grafana.token_secret_arn, SecretString=f"{TOKEN}{grafana.version}"
        )


def _own(arns: list[str], account: str) -> list[str]:
    """Return the ARNs that belong to the account; ARNs of other accounts are not checked."""
    return [arn for arn in arns if arn.split(":")[4] == account]


def _key_is_there(kms: Any, arn: str) -> bool:
    # also for another account or Region: the embedded cloud has one account and finds a key by its id
    return _answers(kms.describe_key, KeyId=arn.rpartition("/")[2])


def _create_key(kms: Any, arn: str) -> None:
    kms.create_key(
        Description="a key that exists", Tags=[{"TagKey": TAG, "TagValue": arn.rpartition("/")[2]}]
    )


def _secret_is_there(secrets_manager: Any, arn: str) -> bool:
    return _answers(secrets_manager.describe_secret, SecretId=arn)


def _create_secret(secrets_manager: Any, arn: str) -> None:
    name = arn.split(":secret:")[1]
    login = json.dumps({"username": "admin", "password": "rehearsal"})
    tags = [{"Key": TAG, "Value": arn}]
    secrets_manager.create_secret(Name=name.rpartition("-")[0] or name, SecretString=login, Tags=tags)


def _topic_is_there(sns: Any, arn: str) -> bool:
    return _answers(sns.get_topic_attributes, TopicArn=arn)


def _create_topic(sns: Any, arn: str) -> None:
    sns.create_topic(Name=arn.rpartition(":")[2])


def _image_is_there(ec2: Any, image: str) -> bool:
    return _answers(ec2.describe_images, ImageIds=[image])


def _create_image(ec2: Any, image: str) -> None:
    ec2.register_image(Name=f"{NAME}{image}")


def _answers(ask: Callable[..., object], **named: object) -> bool:
    try:
        ask(**named)
    except ClientError:
        return False
    return True


def create_buckets(target: Place, profile: Profile) -> None:
    """Create missing buckets of any account, because bucket names are global.

    The buckets are empty, and their policies are not simulated.
    """
    for name, region in sorted(_buckets(profile).items()):
        s3 = target.client("s3", region)
        if name in {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}:
            continue
        place = {} if region == _FIRST_REGION else {"LocationConstraint": region}
        try:
            with step(f"create the bucket {name}, {_DECLARED}"):
                s3.create_bucket(Bucket=name, **({"CreateBucketConfiguration": place} if place else {}))
        except ClientError as error:
            raise RehearsalError(f"the embedded cloud cannot create the bucket {name}: {error}") from None


def _buckets(profile: Profile) -> dict[str, str]:
    """Return the Region of each existing bucket that a DRA, a pod's volume or the profile's scripts use."""
    mounted = profile.storage.mountpoints if profile.storage else ()
    linked = {
        link.bucket: link.bucket_region or profile.region
        for system in declared_lustre(profile)
        if isinstance(system, NewLustre)
        for link in system.data_repositories
        if link.bucket != "new"
    }
    others = (*folder_buckets(profile), *(one.bucket for one in mounted if one.bucket != "s3-express"))
    return {**dict.fromkeys(others, profile.region), **linked}


def create_network(ec2: Any, profile: Profile) -> None:
    """Create missing parts of the existing network, and missing security groups."""
    network = profile.network
    here = {group["GroupId"] for group in ec2.describe_security_groups()["SecurityGroups"]}
    groups_missing = [group for group in groups(profile) if group not in here]
    there = {subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]}
    own = {one.id for one in network.subnets} if isinstance(network, ExistingNetwork) else set()
    others = [subnet for subnet in subnets(profile) if subnet not in there | own]
    try:
        if isinstance(network, ExistingNetwork):
            _create_existing(ec2, network, groups_missing)
            groups_missing = []
        _create_elsewhere(ec2, others, groups_missing)
    except ClientError as error:
        reason = error.response["Error"]["Message"].partition(". ")[0]
        raise RehearsalError(f"the embedded cloud cannot create this network: {reason[:200]}") from None


def _create_existing(ec2: Any, network: ExistingNetwork, groups_missing: list[str]) -> None:
    there = {vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"]}
    there |= {subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]}
    missing = [subnet for subnet in network.subnets if subnet.id not in there]
    if network.vpc_id in there and not missing and not groups_missing:
        return
    with step(f"create the network {network.vpc_id}, {_DECLARED}"):
        if network.vpc_id not in there:
            _create_vpc(ec2, network)
        for subnet in missing:
            _create_subnet(ec2, network.vpc_id, subnet)
        for group in groups_missing:
            _create_group(ec2, network.vpc_id, group)


def _create_elsewhere(ec2: Any, subnets_missing: list[str], groups_missing: list[str]) -> None:
    """Create missing subnets and security groups in another VPC, such as a peered VPC."""
    if not subnets_missing and not groups_missing:
        return
    with step(f"create {', '.join(subnets_missing + groups_missing)}, {_DECLARED}"):
        vpc = ec2.create_vpc(CidrBlock=_ELSEWHERE)["Vpc"]["VpcId"]
        zones = [zone["ZoneName"] for zone in ec2.describe_availability_zones()["AvailabilityZones"]]
        for number, subnet in enumerate(subnets_missing):
            ec2.create_subnet(
                VpcId=vpc,
                CidrBlock=f"192.168.{number}.0/24",
                AvailabilityZone=zones[number % len(zones)],
                TagSpecifications=_given("subnet", subnet),
            )
        for group in groups_missing:
            _create_group(ec2, vpc, group)


def _create_vpc(ec2: Any, network: ExistingNetwork) -> None:
    ec2.create_vpc(CidrBlock=network.vpc_cidr, TagSpecifications=_given("vpc", network.vpc_id))
    for block in network.vpc_secondary_cidrs:
        ec2.associate_vpc_cidr_block(VpcId=network.vpc_id, CidrBlock=block)


def _create_subnet(ec2: Any, vpc_id: str, subnet: ExistingSubnet) -> None:
    zone = {"AvailabilityZone": subnet.availability_zone} if subnet.availability_zone else {}
    zone_id = {"AvailabilityZoneId": subnet.availability_zone_id} if not zone else {}
    tags = _given("subnet", subnet.id)
    ec2.create_subnet(VpcId=vpc_id, CidrBlock=subnet.cidr, TagSpecifications=tags, **zone, **zone_id)


def _create_group(ec2: Any, vpc_id: str, group_id: str) -> None:
    ec2.create_security_group(
        GroupName=f"{NAME}{group_id}",
        Description="of something that exists",
        VpcId=vpc_id,
        TagSpecifications=_given("security-group", group_id),
    )


def _given(kind: str, identifier: str) -> list[dict[str, object]]:
    return [{"ResourceType": kind, "Tags": [{"Key": TAG, "Value": identifier}]}]
