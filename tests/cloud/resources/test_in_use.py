"""What something stands on cannot be deleted; torn down in the right order, nothing is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from scripts.cloud.local import LocalCloud
from tests.cloud.examples import clusters, identity, network, storage
from tests.cloud.examples.deployed import Deployed
from tests.cloud.examples.example import NETWORK, ref, resource
from tests.cloud.examples.network_users import EKS_NODES, PCS_NODES, USERS, WITHOUT_GROUP
from tests.cloud.snapshots import put_assets_of
from tests.conftest import SNAPSHOTS

REGION = "us-east-1"


def refused(call: Callable[..., Any], **request: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**request)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


@pytest.mark.sample(4)
@pytest.mark.parametrize("owner", USERS)
def test_a_subnet_and_its_vpc_stay_under_what_stands_in_them(owner: str, deployed: Deployed) -> None:
    stack = deployed.deploy(USERS[owner])
    ec2, ids = deployed.client("ec2"), {n: r.physical_id for n, r in stack.resources.items()}
    subnet = ids["Second" if owner == "scraper" else "Subnet"]
    code, reported = refused(ec2.delete_subnet, SubnetId=subnet)
    assert (code, f"The subnet '{subnet}' has dependencies" in reported) == ("DependencyViolation", True)
    code, reported = refused(ec2.delete_vpc, VpcId=ids["Vpc"])
    assert (code, f"The vpc '{ids['Vpc']}' has dependencies" in reported) == ("DependencyViolation", True)
    deployed.delete(stack)


@pytest.mark.parametrize("owner", [owner for owner in USERS if owner not in WITHOUT_GROUP])
def test_a_security_group_stays_under_what_uses_it(owner: str, deployed: Deployed) -> None:
    stack = deployed.deploy(USERS[owner])
    group = stack.resources["Group"].physical_id
    code, reported = refused(deployed.client("ec2").delete_security_group, GroupId=group)
    assert code == "DependencyViolation"
    assert f"resource {group} has a dependent object ({owner}" in reported
    deployed.delete(stack)


@pytest.mark.parametrize("nodes", [PCS_NODES, EKS_NODES], ids=["pcs", "eks"])
def test_nodes_hold_the_groups_that_their_launch_template_names(
    nodes: dict[str, Any], deployed: Deployed
) -> None:
    stack = deployed.deploy(nodes)
    ec2, ids = deployed.client("ec2"), {n: r.physical_id for n, r in stack.resources.items()}
    assert refused(ec2.delete_security_group, GroupId=ids["NodeGroup"])[0] == "DependencyViolation"
    code, reported = refused(ec2.delete_placement_group, GroupName=ids["Placement"])
    assert (code, "node group" in reported) == ("InvalidPlacementGroup.InUse", True)
    deployed.delete(stack)


def test_a_security_group_stays_while_a_rule_of_another_names_it(deployed: Deployed) -> None:
    other = resource("AWS::EC2::SecurityGroup", GroupDescription="clients", VpcId=ref("Vpc"))
    rule = resource(
        "AWS::EC2::SecurityGroupIngress",
        GroupId=ref("Clients"),
        IpProtocol="-1",
        SourceSecurityGroupId=ref("Group"),
    )
    stack = deployed.deploy({**NETWORK, "Clients": other, "Rule": rule})
    ids = {name: made.physical_id for name, made in stack.resources.items()}
    code, reported = refused(deployed.client("ec2").delete_security_group, GroupId=ids["Group"])
    assert (code, f"(a rule of {ids['Clients']})" in reported) == ("DependencyViolation", True)
    deployed.delete(stack)


def test_a_gateway_with_mapped_addresses_stays_attached_and_a_mapped_address_is_kept(
    deployed: Deployed,
) -> None:
    example = next(e for e in network.EXAMPLES if e.type == "AWS::EC2::NatGateway")
    stack = deployed.deploy(example.resources())
    ec2, ids = deployed.client("ec2"), {n: r.physical_id for n, r in stack.resources.items()}
    gateway = {"InternetGatewayId": ids["Internet"], "VpcId": ids["Vpc"]}
    code, reported = refused(ec2.detach_internet_gateway, **gateway)
    assert (code, "mapped public address(es)" in reported) == ("DependencyViolation", True)
    allocation = stack.resources["Address"].attributes["AllocationId"]
    assert refused(ec2.release_address, AllocationId=allocation)[0] == "InvalidIPAddress.InUse"
    deployed.delete(stack)


def test_an_address_range_stays_while_a_subnet_is_in_it(deployed: Deployed) -> None:
    second = resource("AWS::EC2::VPCCidrBlock", VpcId=ref("Vpc"), CidrBlock="10.1.0.0/16")
    subnet = resource("AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.1.0.0/20")
    stack = deployed.deploy({**NETWORK, "Range": second, "Inside": {**subnet, "DependsOn": "Range"}})
    block = stack.resources["Range"].physical_id
    code, reported = refused(deployed.client("ec2").disassociate_vpc_cidr_block, AssociationId=block)
    assert (code, "currently has a subnet within CIDR block" in reported) == ("InvalidCidrBlock.InUse", True)
    deployed.delete(stack)


@pytest.mark.parametrize(
    ("resources", "service", "operation", "request_of", "code"),
    [
        (
            EKS_NODES,
            "eks",
            "delete_cluster",
            lambda ids: {"name": ids["Cluster"]},
            "ResourceInUseException",
        ),
        (
            PCS_NODES,
            "pcs",
            "delete_cluster",
            lambda ids: {"clusterIdentifier": ids["Cluster"].split("/")[-1]},
            "ConflictException",
        ),
        (
            USERS["database"],
            "rds",
            "delete_db_subnet_group",
            lambda ids: {"DBSubnetGroupName": ids["Subnets"]},
            "InvalidDBSubnetGroupStateFault",
        ),
        (
            clusters.PCS_NODES,
            "iam",
            "delete_role",
            lambda ids: {"RoleName": ids["NodeRole"]},
            "DeleteConflict",
        ),
        (
            next(e for e in identity.EXAMPLES if e.type == "AWS::IAM::ManagedPolicy").resources(),
            "iam",
            "delete_policy",
            lambda ids: {"PolicyArn": ids["Subject"]},
            "DeleteConflict",
        ),
    ],
)
def test_a_service_refuses_to_delete_what_is_in_use(
    resources: dict[str, Any],
    service: str,
    operation: str,
    request_of: Callable[[dict[str, str]], dict[str, str]],
    code: str,
    deployed: Deployed,
) -> None:
    stack = deployed.deploy(resources)
    ids = {name: made.physical_id for name, made in stack.resources.items()}
    assert refused(getattr(deployed.client(service), operation), **request_of(ids))[0].startswith(code)
    deployed.delete(stack)


def test_a_bucket_with_objects_stays_and_one_that_is_linked_to_a_file_system_does_not(
    deployed: Deployed,
) -> None:
    example = next(e for e in storage.EXAMPLES if e.type == "AWS::FSx::DataRepositoryAssociation")
    stack = deployed.deploy(example.resources())
    s3, bucket = deployed.client("s3"), stack.resources["Bucket"].physical_id
    s3.put_object(Bucket=bucket, Key="datasets/a", Body=b"a")
    assert refused(s3.delete_bucket, Bucket=bucket)[0] == "BucketNotEmpty"
    s3.delete_object(Bucket=bucket, Key="datasets/a")
    # S3 knows nothing of the link, whose end it is: FSx asks not to do so
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/getting-started.html
    s3.delete_bucket(Bucket=bucket)


def test_a_retained_file_system_keeps_its_subnet_until_it_is_deleted(deployed: Deployed) -> None:
    lustre = {**resource("AWS::FSx::FileSystem", **storage.LUSTRE), "DeletionPolicy": "Retain"}
    stack = deployed.deploy({**NETWORK, "Lustre": lustre})
    system = stack.resources["Lustre"].physical_id
    deployed.try_delete(stack)
    assert stack.status == "DELETE_FAILED"
    reasons = dict(deployed.reasons(stack))
    assert f"(file system {system})" in reasons["Subnet"]
    assert f"(file system {system})" in reasons["Group"]
    assert "Second" not in reasons
    deployed.client("fsx").delete_file_system(FileSystemId=system)
    deployed.delete(stack)


IN_ORDER = sorted(built_in_names(), key=lambda name: load_cluster(name).data_profile is not None)


@pytest.mark.long
def test_the_stack_of_every_built_in_profile_is_deleted_and_what_it_retains_is_left(
    module_cloud: LocalCloud,
) -> None:
    for name in IN_ORDER:
        design = load_cluster(name).design
        assert design is not None
        deployed = Deployed(module_cloud, design.profile.region)
        ssm = deployed.client("ssm")
        ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Type="String", Value="30", Overwrite=True)
        text = (SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8")
        deployed.name = name
        put_assets_of(module_cloud, deployed.region, name)
        stack = module_cloud.deploy(deployed.region, name, text)
        assert stack.status == "CREATE_COMPLETE", deployed.reasons(stack)
        if name != "p6-b200-data":  # p6-b200-cluster stands on it
            deployed.delete(stack)
        kept = [
            logical_id
            for logical_id, declared in json.loads(text)["Resources"].items()
            if declared["Type"] == "AWS::FSx::FileSystem" and "Retain" in declared["DeletionPolicy"]
        ]
        systems = deployed.client("fsx").describe_file_systems()["FileSystems"]
        assert len(systems) >= len(kept)
        for system in systems:
            subnet = system["SubnetIds"][0]
            assert refused(deployed.client("ec2").delete_subnet, SubnetId=subnet)[0] == "DependencyViolation"
