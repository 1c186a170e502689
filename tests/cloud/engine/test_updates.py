"""Updates: in place where the schema lets them, by replacement where it does not, and back when they fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.cloud.fixtures import Stacks

pytestmark = pytest.mark.cloud


def network() -> dict[str, Any]:
    return {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "CidrBlock": "10.0.0.0/20",
                "AvailabilityZone": "us-east-1a",
            },
        },
    }


def lustre(capacity: int, throughput: int = 250, **more: Any) -> dict[str, Any]:
    return {
        "Type": "AWS::FSx::FileSystem",
        "Properties": {
            "FileSystemType": "LUSTRE",
            "StorageCapacity": capacity,
            "SubnetIds": [{"Ref": "Subnet"}],
            "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": throughput},
            **more,
        },
    }


@pytest.fixture(autouse=True)
def nodes(stacks: Stacks) -> None:
    """The role that the nodes of `hyperpod` take on."""
    iam = stacks.client("iam")
    if all(role["RoleName"] != "nodes" for role in iam.list_roles()["Roles"]):
        iam.create_role(
            RoleName="nodes", AssumeRolePolicyDocument='{"Version": "2012-10-17", "Statement": []}'
        )


def hyperpod(name: str, **counts: int) -> dict[str, Any]:
    groups = [
        {
            "InstanceGroupName": group,
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": number,
            "ExecutionRole": "arn:aws:iam::123456789012:role/nodes",
            "LifeCycleConfig": {"SourceS3Uri": "s3://scripts", "OnCreate": "on_create.sh"},
        }
        for group, number in counts.items()
    ]
    return {"Type": "AWS::SageMaker::Cluster", "Properties": {"ClusterName": name, "InstanceGroups": groups}}


def test_lustre_grows_in_place(stacks: Stacks) -> None:
    name = stacks.create({**network(), "Lustre": lustre(2400)})
    before = stacks.ids(name)["Lustre"]
    stacks.update(name, {**network(), "Lustre": lustre(4800, 500)})
    assert stacks.status(name) == "UPDATE_COMPLETE"
    assert stacks.ids(name)["Lustre"] == before
    (system,) = stacks.client("fsx").describe_file_systems(FileSystemIds=[before])["FileSystems"]
    assert system["StorageCapacity"] == 4800
    assert system["LustreConfiguration"]["PerUnitStorageThroughput"] == 500


def test_lustre_cannot_shrink_and_the_stack_goes_back(stacks: Stacks) -> None:
    name = stacks.create({**network(), "Lustre": lustre(4800)})
    stacks.update(name, {**network(), "Lustre": lustre(2400)})
    assert stacks.status(name) == "UPDATE_ROLLBACK_COMPLETE"
    assert "cannot be decreased" in stacks.reason(name, "Lustre", "UPDATE_FAILED")
    system_id = stacks.ids(name)["Lustre"]
    (system,) = stacks.client("fsx").describe_file_systems(FileSystemIds=[system_id])["FileSystems"]
    assert system["StorageCapacity"] == 4800


def test_a_create_only_property_replaces_the_resource_and_what_refers_to_it_follows(stacks: Stacks) -> None:
    dns = {"Dns": {"Value": {"Fn::GetAtt": ["Lustre", "DNSName"]}}}
    name = stacks.create({**network(), "Lustre": lustre(2400)}, Outputs=dns)
    before, dns_before = stacks.ids(name), stacks.outputs(name)["Dns"]
    key = {"Type": "AWS::KMS::Key", "Properties": {"Description": "fsx"}}
    changed = lustre(2400, KmsKeyId={"Fn::GetAtt": ["Key", "Arn"]})
    stacks.update(name, {**network(), "Key": key, "Lustre": changed}, Outputs=dns)
    after = stacks.ids(name)
    assert after["Vpc"] == before["Vpc"]
    assert after["Lustre"] != before["Lustre"]
    assert stacks.outputs(name)["Dns"] != dns_before
    systems = [s["FileSystemId"] for s in stacks.client("fsx").describe_file_systems()["FileSystems"]]
    assert before["Lustre"] not in systems
    assert after["Lustre"] in systems


def test_what_a_file_system_and_a_cluster_stand_on_must_exist(stacks: Stacks) -> None:
    lost = lustre(2400, SecurityGroupIds=["sg-0123456789abcdef0"])
    name = stacks.create({**network(), "Lustre": lost})
    assert "sg-0123456789abcdef0" in stacks.reason(name, "Lustre", "CREATE_FAILED")
    cluster = hyperpod("lost", train=1)
    cluster["Properties"]["VpcConfig"] = {
        "Subnets": ["subnet-0123456789abcdef0"],
        "SecurityGroupIds": ["sg-0123456789abcdef0"],
    }
    name = stacks.create({"Cluster": cluster})
    assert "subnet-0123456789abcdef0, sg-0123456789abcdef0" in stacks.reason(name, "Cluster", "CREATE_FAILED")
    link = {
        "FileSystemId": {"Ref": "Lustre"},
        "FileSystemPath": "/d",
        "DataRepositoryPath": "s3://bucket-lost/d",
    }
    association = {"Type": "AWS::FSx::DataRepositoryAssociation", "Properties": link}
    name = stacks.create({**network(), "Lustre": lustre(2400), "Link": association})
    assert "bucket-lost does not exist" in stacks.reason(name, "Link", "CREATE_FAILED")


def test_hyperpod_groups_follow_the_template(stacks: Stacks) -> None:
    sagemaker = stacks.client("sagemaker")
    name = stacks.create({"Cluster": hyperpod("follows", train=2, spare=1)})
    arn = stacks.ids(name)["Cluster"]
    stacks.update(name, {"Cluster": hyperpod("follows", train=5)})
    assert stacks.ids(name)["Cluster"] == arn
    groups = sagemaker.describe_cluster(ClusterName="follows")["InstanceGroups"]
    assert [(g["InstanceGroupName"], g["CurrentCount"]) for g in groups] == [("train", 5)]
    assert len(sagemaker.list_cluster_nodes(ClusterName=arn)["ClusterNodeSummaries"]) == 5


def test_a_workspace_is_renamed_in_place(stacks: Stacks) -> None:
    def workspace(alias: str) -> dict[str, Any]:
        return {"Metrics": {"Type": "AWS::APS::Workspace", "Properties": {"Alias": alias}}}

    name = stacks.create(workspace("first"))
    arn = stacks.ids(name)["Metrics"]
    stacks.update(name, workspace("second"))
    (found,) = [w for w in stacks.client("amp").list_workspaces()["workspaces"] if w["arn"] == arn]
    assert found["alias"] == "second"


def test_a_failed_update_takes_back_what_had_been_changed(stacks: Stacks) -> None:
    def value(text: str) -> dict[str, Any]:
        properties = {"Name": "/taken/back", "Type": "String", "Value": text}
        return {"Type": "AWS::SSM::Parameter", "Properties": properties}

    name = stacks.create({"A": value("old")})
    changed = value("new")
    stacks.update(name, {"A": changed, "Bad": {"Type": "AWS::Nothing::AtAll", "DependsOn": "A"}})
    assert stacks.status(name) == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.client("ssm").get_parameter(Name="/taken/back")["Parameter"]["Value"] == "old"
    stacks.update(name, {"A": changed})
    assert stacks.status(name) == "UPDATE_COMPLETE"
    assert stacks.client("ssm").get_parameter(Name="/taken/back")["Parameter"]["Value"] == "new"


def test_without_rollback_what_was_made_stays_and_the_next_deployment_goes_on(stacks: Stacks) -> None:
    value = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}
    bad = {"Type": "AWS::Nothing::AtAll", "DependsOn": "A"}
    name = stacks.create({"A": value, "B": bad}, options={"DisableRollback": True})
    assert stacks.status(name) == "CREATE_FAILED"
    made = stacks.ids(name)["A"]
    stacks.update(name, {"A": value, "B": value})
    assert stacks.status(name) == "UPDATE_COMPLETE"
    assert stacks.ids(name)["A"] == made


def test_a_stack_left_as_it_failed_can_be_rolled_back(stacks: Stacks) -> None:
    value = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}
    bad = {"Type": "AWS::Nothing::AtAll", "DependsOn": "A"}
    name = stacks.create({"A": value, "B": bad}, options={"DisableRollback": True})
    stacks.api.rollback_stack(StackName=name)
    assert stacks.status(name) == "ROLLBACK_COMPLETE"
    assert stacks.ids(name) == {}


def test_a_resource_cannot_become_another_type(stacks: Stacks) -> None:
    name = stacks.create(network())
    changed = {**network(), "Subnet": {"Type": "AWS::EC2::InternetGateway"}}
    with pytest.raises(ClientError, match=r"Update of resource type is not permitted.*\[Subnet\]"):
        stacks.update(name, changed)
    assert stacks.status(name) == "CREATE_COMPLETE"


def change_set(stacks: Stacks, name: str, resources: dict[str, Any]) -> dict[str, Any]:
    made = stacks.api.create_change_set(
        StackName=name, ChangeSetName="test", TemplateBody=json.dumps({"Resources": resources})
    )
    found: dict[str, Any] = stacks.api.describe_change_set(ChangeSetName=made["Id"])
    return found


def test_a_change_set_without_changes_fails_with_the_words_that_the_cdk_knows(stacks: Stacks) -> None:
    name = stacks.create(network())
    found = change_set(stacks, name, network())
    assert found["Status"] == "FAILED"
    assert found["StatusReason"].startswith("The submitted information didn't contain changes.")
    with pytest.raises(ClientError, match="cannot be executed"):
        stacks.api.execute_change_set(ChangeSetName=found["ChangeSetId"])


def test_a_change_set_tells_what_is_added_changed_replaced_and_removed(stacks: Stacks) -> None:
    value = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}
    name = stacks.create({**network(), "Gone": value, "Changed": value})
    changed = network()
    changed["Vpc"]["Properties"]["CidrBlock"] = "10.1.0.0/16"
    changed["Subnet"]["Properties"]["CidrBlock"] = "10.1.0.0/20"
    changed["Changed"] = {**value, "Properties": {"Type": "String", "Value": "2"}}
    changed["Added"] = value
    found = change_set(stacks, name, changed)
    reported = {
        c["ResourceChange"]["LogicalResourceId"]: (
            c["ResourceChange"]["Action"],
            c["ResourceChange"].get("Replacement"),
        )
        for c in found["Changes"]
    }
    assert reported == {
        "Vpc": ("Modify", "True"),
        "Subnet": ("Modify", "True"),
        "Changed": ("Modify", "False"),
        "Added": ("Add", None),
        "Gone": ("Remove", None),
    }
    before = stacks.ids(name)
    stacks.api.execute_change_set(ChangeSetName=found["ChangeSetId"])
    after = stacks.ids(name)
    assert {i for i in reported if i in before and i in after and before[i] != after[i]} == {"Vpc", "Subnet"}


def test_get_template_gives_the_text_as_it_was_sent(stacks: Stacks) -> None:
    text = "# a comment\nResources:\n  A:\n    Type: AWS::SSM::Parameter\n    Properties:\n"
    text += "      Type: String\n      Value: !Sub '${AWS::Region} ${!literal}'\n"
    name = stacks.name()
    stacks.api.create_stack(StackName=name, TemplateBody=text)
    assert stacks.api.get_template(StackName=name)["TemplateBody"] == text
    value = stacks.client("ssm").get_parameter(Name=stacks.ids(name)["A"])["Parameter"]["Value"]
    assert value == "us-east-1 ${literal}"


def test_values_of_parameter_store_reach_the_resources(stacks: Stacks) -> None:
    stacks.client("ssm").put_parameter(Name="/data/v1/bucket", Value="datasets", Type="String")
    parameters = {"Bucket": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/data/v1/bucket"}}
    resources = {
        name: {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}}
        for name, value in {"A": {"Ref": "Bucket"}, "B": "s3://{{resolve:ssm:/data/v1/bucket}}/x"}.items()
    }
    name = stacks.create(resources, Parameters=parameters)
    ids, ssm = stacks.ids(name), stacks.client("ssm")
    assert ssm.get_parameter(Name=ids["A"])["Parameter"]["Value"] == "datasets"
    assert ssm.get_parameter(Name=ids["B"])["Parameter"]["Value"] == "s3://datasets/x"


@pytest.mark.parametrize(
    "zone", [{"AvailabilityZone": "us-east-1-dfw-2a"}, {"AvailabilityZoneId": "use1-dfw2-az1"}]
)
def test_a_subnet_may_be_in_a_local_zone(stacks: Stacks, zone: dict[str, str]) -> None:
    resources = network()
    del resources["Subnet"]["Properties"]["AvailabilityZone"]
    resources["Subnet"]["Properties"].update(zone)
    name = stacks.create(resources)
    (subnet,) = stacks.client("ec2").describe_subnets(SubnetIds=[stacks.ids(name)["Subnet"]])["Subnets"]
    assert (subnet["AvailabilityZone"], subnet["AvailabilityZoneId"]) == ("us-east-1-dfw-2a", "use1-dfw2-az1")
