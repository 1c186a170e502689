"""What must be true of every template, whatever the profile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cfnlint  # type: ignore[import-untyped]  # has no types
import pytest

from config.cluster import load_cluster
from config.design.model import Design
from config.profile.source.reference import built_in_names
from tests.conftest import Synthesized

pytestmark = pytest.mark.synth
Synthesize = Callable[[str], Synthesized]

every_profile = pytest.mark.parametrize("name", built_in_names())
SELF_CONTAINED = ["p5-dev", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200"]
self_contained = pytest.mark.parametrize("name", SELF_CONTAINED)


def design_of(name: str) -> Design:
    design = load_cluster(name).design
    assert design is not None
    return design


def values(node: Any) -> Iterator[Any]:
    """Every mapping and plain value of a template."""
    yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from values(child)


def references(node: Any) -> set[str]:
    """Logical ids that a part of a template refers to."""
    found = set()
    for value in values(node):
        if isinstance(value, dict) and len(value) == 1:
            (key, target), *_ = value.items()
            if key == "Ref":
                found.add(target)
            elif key == "Fn::GetAtt":
                found.add(target[0] if isinstance(target, list) else target.split(".")[0])
    return found


# Logical ids of what holds state: a changed id is a new, empty resource.
# Never edit a line to make a test pass.
STATE = {
    "NetworkVpc7FB7348F": "AWS::EC2::VPC",
    "NetworkVpcSubnetprimaryB6C81995": "AWS::EC2::Subnet",
    "NetworkNodes23796194": "AWS::EC2::SecurityGroup",
    "StorageKeyBAA9457B": "AWS::KMS::Key",
    "StorageAccessLogs96FB524C": "AWS::S3::Bucket",
    "StorageBucketdatasetsA6E612F3": "AWS::S3::Bucket",
    "StorageBucketcheckpoints10644408": "AWS::S3::Bucket",
    "StorageLustreSecurityGroupCB5A9599": "AWS::EC2::SecurityGroup",
    "StorageLustreD58356E9": "AWS::FSx::FileSystem",
    "ObservabilityMetrics0F532F2C": "AWS::APS::Workspace",
}
STATEFUL_TYPES = ("AWS::KMS::Key", "AWS::S3::Bucket", "AWS::FSx::FileSystem", "AWS::APS::Workspace")
# nothing that is kept is encrypted with it
ALERT_KEY = "ObservabilityAlertKey"


def stateful(resources: dict[str, Any]) -> set[str]:
    return {
        key
        for key, value in resources.items()
        if value["Type"] in STATEFUL_TYPES and not key.startswith(ALERT_KEY)
    }


@self_contained
def test_stateful_resources_keep_their_logical_ids(name: str, synthesized: Synthesize) -> None:
    resources = synthesized(name).template["Resources"]
    assert {key: resources[key]["Type"] for key in STATE} == STATE
    assert stateful(resources) <= STATE.keys()


def test_the_pair_keeps_the_same_logical_ids(synthesized: Synthesize) -> None:
    data, cluster = (synthesized(name).template["Resources"] for name in ("p6-b200-data", "p6-b200-cluster"))
    assert (
        STATE.items() - {"ObservabilityMetrics0F532F2C": "AWS::APS::Workspace"}.items()
        <= {key: value["Type"] for key, value in data.items()}.items()
    )
    assert cluster["ObservabilityMetrics0F532F2C"]["Type"] == "AWS::APS::Workspace"
    assert not {key for key, value in cluster.items() if value["Type"] == "AWS::FSx::FileSystem"}


@every_profile
def test_state_survives_and_a_failed_first_creation_leaves_nothing(
    name: str, synthesized: Synthesize
) -> None:
    resources = synthesized(name).template["Resources"]
    # S3 writes into it when it likes: deleting it would fail, on a first creation that rolls back too
    logs = {"StorageAccessLogs96FB524C"} & resources.keys()
    for key in logs:
        assert (resources[key]["DeletionPolicy"], resources[key]["UpdateReplacePolicy"]) == (
            "Retain",
            "Retain",
        )
    for key in (STATE.keys() | stateful(resources)) & resources.keys() - logs:
        assert resources[key]["DeletionPolicy"] == "RetainExceptOnCreate", key
        assert resources[key]["UpdateReplacePolicy"] == "Retain", key


@every_profile
def test_what_is_retained_stands_only_on_what_is_retained(name: str, synthesized: Synthesize) -> None:
    # a retained file system's interfaces keep its subnet, groups and VPC from being deleted
    resources = synthesized(name).template["Resources"]
    kept = {key for key, value in resources.items() if value.get("DeletionPolicy", "").startswith("Retain")}
    # logs end with the stack: what writes to a group that is gone goes on without it
    kept |= synthesized(name).resources("AWS::Logs::LogGroup").keys()
    # and so do topics: a workspace without rules sends nothing to them
    kept |= synthesized(name).resources("AWS::SNS::Topic").keys()
    for key in kept - synthesized(name).resources("AWS::SNS::Topic").keys():
        removed = references(resources[key].get("Properties", {})) & resources.keys() - kept
        assert not removed, f"{key} is retained but refers to {removed}"


@every_profile
def test_storage_18_a_file_system_waits_for_every_rule_of_its_groups(
    name: str, synthesized: Synthesize
) -> None:
    stack = synthesized(name)
    for file_system in stack.resources("AWS::FSx::FileSystem").values():
        groups = references(file_system["Properties"]["SecurityGroupIds"])
        rules = {
            key
            for kind in ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
            for key, value in stack.resources(kind).items()
            if references(value["Properties"]) & groups
        }
        assert rules
        assert rules <= set(file_system["DependsOn"])


@every_profile
def test_storage_04_data_repository_associations_are_made_one_after_another(
    name: str, synthesized: Synthesize
) -> None:
    links = synthesized(name).resources("AWS::FSx::DataRepositoryAssociation")
    waits = {key: links.keys() & set(link.get("DependsOn", ())) for key, link in links.items()}

    def before(key: str) -> set[str]:
        return waits[key].union(*(before(other) for other in waits[key]))

    # each waits for all that are made earlier, so that no two are made at once
    assert sorted(len(before(key)) for key in links) == list(range(len(links)))


@every_profile
def test_storage_09_a_linked_file_system_has_no_backup_property(name: str, synthesized: Synthesize) -> None:
    for file_system in synthesized(name).resources("AWS::FSx::FileSystem").values():
        named = set(file_system["Properties"]["LustreConfiguration"])
        assert not named & {
            "AutomaticBackupRetentionDays",
            "CopyTagsToBackups",
            "DailyAutomaticBackupStartTime",
        }
        assert not named & {"ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize"}


@every_profile
def test_storage_12_14_lustre_is_2_15_with_a_metadata_configuration(
    name: str, synthesized: Synthesize
) -> None:
    for file_system in synthesized(name).resources("AWS::FSx::FileSystem").values():
        assert file_system["Properties"]["FileSystemTypeVersion"] == "2.15"
        assert (
            file_system["Properties"]["LustreConfiguration"]["MetadataConfiguration"]["Mode"] == "AUTOMATIC"
        )


@self_contained
def test_the_file_system_is_the_one_of_the_plan(name: str, synthesized: Synthesize) -> None:
    plan = design_of(name).lustre
    assert plan is not None
    properties = synthesized(name).only("AWS::FSx::FileSystem")
    assert properties["StorageCapacity"] == plan.capacity_gib
    assert properties["LustreConfiguration"]["PerUnitStorageThroughput"] == plan.throughput_mbps_per_tib
    assert properties["LustreConfiguration"].get("EfaEnabled", False) == plan.efa
    assert references(properties["SubnetIds"]) == {"NetworkVpcSubnetprimaryB6C81995"}


@every_profile
def test_hyperpod_07_every_group_of_nodes_talks_to_itself_by_id_both_ways(
    name: str, synthesized: Synthesize
) -> None:
    stack = synthesized(name)
    for group in stack.resources("AWS::EC2::SecurityGroup"):
        if group.startswith("NetworkVpc"):  # endpoints carry no EFA
            continue
        for kind, other in (("Ingress", "SourceSecurityGroupId"), ("Egress", "DestinationSecurityGroupId")):
            rules = [
                value["Properties"]
                for value in stack.resources(f"AWS::EC2::SecurityGroup{kind}").values()
                if references(value["Properties"]["GroupId"]) == {group}
                and references(value["Properties"].get(other)) == {group}
            ]
            assert rules, f"{group} has no {kind} rule to itself"


def test_efa_storage_is_reached_by_all_traffic_rules_between_groups(synthesized: Synthesize) -> None:
    stack = synthesized("p6-b200")
    groups = {"NetworkNodes23796194", "StorageLustreSecurityGroupCB5A9599"}
    pairs = set()
    for kind, other in (("Ingress", "SourceSecurityGroupId"), ("Egress", "DestinationSecurityGroupId")):
        for value in stack.resources(f"AWS::EC2::SecurityGroup{kind}").values():
            rule = value["Properties"]
            if rule["IpProtocol"] == "-1" and other in rule:
                pairs.add((kind, *references(rule["GroupId"]), *references(rule[other])))
    # a rule may also stand inside the group itself: both ways must be there in either form
    for kind in ("Ingress", "Egress"):
        for group in groups:
            assert (kind, group, group) in pairs
    inline = json.dumps(
        [value["Properties"] for value in stack.resources("AWS::EC2::SecurityGroup").values()]
    )
    crossing = {pair for pair in pairs if pair[1] != pair[2]}
    assert (
        len(crossing) + inline.count("NetworkNodes23796194") + inline.count("StorageLustreSecurityGroup") >= 4
    )


@self_contained
def test_hyperpod_groups_are_those_of_the_design_sorted_by_name(name: str, synthesized: Synthesize) -> None:
    design = design_of(name)
    properties = synthesized(name).only("AWS::SageMaker::Cluster")
    groups = properties["InstanceGroups"]
    assert [group["InstanceGroupName"] for group in groups] == sorted(group.name for group in design.groups)
    for plan, group in zip(sorted(design.groups, key=lambda g: g.name), groups, strict=True):
        assert group["InstanceType"] == f"ml.{plan.instance_type.name}"
        assert group["InstanceCount"] == plan.count
        assert group["SlurmConfig"]["NodeType"] == plan.role.capitalize()
        assert ("PartitionNames" in group["SlurmConfig"]) == (plan.role == "compute")
        assert "CurrentCount" not in group
        assert group["LifeCycleConfig"]["OnInitComplete"] == "on_init_complete.sh"
    assert properties["NodeRecovery"] == "Automatic"
    assert properties["Orchestrator"] == {"Slurm": {"SlurmConfigStrategy": "Merge"}}
    assert "provisioning_parameters.json" not in synthesized(name).text  # HYPERPOD-01


@every_profile
def test_node_scripts_are_published_under_the_hash_that_the_cluster_names(
    name: str, synthesized: Synthesize
) -> None:
    stack, plan = synthesized(name), design_of(name).hyperpod
    if plan is None or plan.scripts is None:
        return
    prefix = f"hyperpod-lifecycle/{plan.scripts.content_hash}/"
    assets = json.loads((stack.folder / f"{name}.assets.json").read_text())["files"]
    published = {
        destination["objectKey"]: (stack.folder / asset["source"]["path"]).read_text(encoding="utf-8")
        for asset in assets.values()
        for destination in asset["destinations"].values()
        if destination["objectKey"].startswith(prefix)
    }
    assert published == {prefix + file: text for file, text in plan.scripts.files.items()}
    uri = stack.only("AWS::SageMaker::Cluster")["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    assert prefix in json.dumps(uri)


def test_hyperpod_06_the_node_role_reads_objects_by_object_arn(synthesized: Synthesize) -> None:
    roles = synthesized("p6-b200").resources("AWS::IAM::Role")
    statements = [
        statement
        for policy in roles["OrchestrationNodeRole3952A04C"]["Properties"]["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
        if "s3:GetObject" in statement["Action"]
    ]
    assert statements
    assert all("/hyperpod-lifecycle/" in json.dumps(statement["Resource"]) for statement in statements)


@pytest.mark.parametrize("name", ["p5", "p5-dev"])
def test_hyperpod_03_nodes_may_ask_for_file_systems_where_lustre_has_efa(
    name: str, synthesized: Synthesize
) -> None:
    role = json.dumps(synthesized(name).resources("AWS::IAM::Role")["OrchestrationNodeRole3952A04C"])
    lustre = design_of(name).lustre
    assert lustre is not None
    assert ("fsx:DescribeFileSystems" in role) == lustre.efa


@every_profile
def test_no_subnet_or_interface_gives_out_public_addresses(name: str, synthesized: Synthesize) -> None:
    for subnet in synthesized(name).resources("AWS::EC2::Subnet").values():
        assert not subnet["Properties"].get("MapPublicIpOnLaunch", False)
    assert '"AssociatePublicIpAddress": true' not in synthesized(name).text


def test_a_local_zone_has_its_nodes_together_and_its_nat_in_the_region(synthesized: Synthesize) -> None:
    stack = synthesized("p6e-gb200")
    zones = {
        key: value["Properties"]["AvailabilityZoneId"]
        for key, value in stack.resources("AWS::EC2::Subnet").items()
    }
    (nat,) = references(stack.only("AWS::EC2::NatGateway")["SubnetId"])
    (home,) = references(stack.only("AWS::FSx::FileSystem")["SubnetIds"])
    assert (zones[nat], zones[home]) == ("use1-az4", "use1-dfw2-az1")
    for group in stack.only("AWS::SageMaker::Cluster")["InstanceGroups"]:
        assert "OverrideVpcConfig" not in group
    (train,) = [g for g in stack.only("AWS::SageMaker::Cluster")["InstanceGroups"] if "TrainingPlanArn" in g]
    assert train["ThreadsPerCore"] == 1


@every_profile
def test_the_stack_is_within_cloudformations_limits_with_room_to_spare(
    name: str, synthesized: Synthesize
) -> None:
    stack = synthesized(name)
    assert len(stack.template["Resources"]) < 400
    assert len(stack.text.encode()) < 700_000


@every_profile
def test_the_manifest_has_region_and_protection_and_no_account(name: str, synthesized: Synthesize) -> None:
    manifest = json.loads((synthesized(name).folder / "manifest.json").read_text())
    stack = manifest["artifacts"][name]
    assert stack["environment"] == f"aws://unknown-account/{design_of(name).profile.region}"
    assert stack["properties"]["terminationProtection"] is True
    written = re.findall(r"(?<![0-9A-Za-z])\d{12}(?![0-9A-Za-z])", synthesized(name).text)
    assert set(written) <= {"123456789012"}


@every_profile
def test_the_exact_destroy_command_is_an_output(name: str, synthesized: Synthesize) -> None:
    # `cdk destroy` would be refused: the stack has termination protection
    command = synthesized(name).template["Outputs"]["DestroyCommand"]["Value"]
    assert command == f"ultracluster teardown {name} --aws"


def test_a_disposable_profile_leaves_nothing_and_is_not_protected(
    synthesized: Synthesize, tmp_path: Path
) -> None:
    file = tmp_path / "afternoon.yaml"
    file.write_text("extends: p6-b200\nname: afternoon\ndisposable: true\n", encoding="utf-8")
    stack = synthesized(str(file))
    manifest = json.loads((stack.folder / "manifest.json").read_text())
    assert manifest["artifacts"]["afternoon"]["properties"].get("terminationProtection", False) is False
    for key, resource in stack.template["Resources"].items():
        assert resource.get("DeletionPolicy", "Delete") == "Delete", key
    assert len(stack.resources("AWS::S3::Bucket")) == 2  # nothing that S3 itself writes into
    command = stack.template["Outputs"]["DestroyCommand"]["Value"]
    typed = command.removeprefix("cdk destroy --context profile=")
    assert Path(typed).samefile(file)


@every_profile
def test_hyperpod_03_every_scoped_action_takes_a_resource(name: str, synthesized: Synthesize) -> None:
    # an action that takes no resource grants nothing when it is scoped to one
    listed = Path(cfnlint.__file__).parent / "data" / "AdditionalSpecs" / "Policies.json"
    services = json.loads(listed.read_text(encoding="utf-8"))
    for key, role in synthesized(name).resources("AWS::IAM::Role").items():
        for policy in role["Properties"].get("Policies", ()):
            for statement in policy["PolicyDocument"]["Statement"]:
                if statement["Resource"] == "*":
                    continue
                for action in statement["Action"]:
                    service, _, operation = action.partition(":")
                    known = services[service]["Actions"][operation.lower()]
                    assert known.get("Resources"), f"{key}: {action} takes no resource"


@every_profile
def test_cdk_gc_finds_the_node_scripts_in_the_template(name: str, synthesized: Synthesize) -> None:
    # `cdk gc` keeps an asset whose key, up to its first dot, stands in some stack's template
    stack = synthesized(name)
    assets = json.loads((stack.folder / f"{name}.assets.json").read_text())["files"].values()
    keys = [d["objectKey"] for asset in assets for d in asset["destinations"].values()]
    for key in keys:
        if key.startswith("hyperpod-lifecycle/"):
            assert key.partition(".")[0] in stack.text


@self_contained
def test_nodes_are_deleted_before_the_links_that_carry_what_they_write(
    name: str, synthesized: Synthesize
) -> None:
    stack = synthesized(name)
    (cluster,) = stack.resources("AWS::SageMaker::Cluster").values()
    for key, link in stack.resources("AWS::FSx::DataRepositoryAssociation").items():
        if "AutoExportPolicy" in link["Properties"]["S3"]:
            assert key in cluster["DependsOn"]


def test_the_cluster_reads_exactly_what_its_data_profile_publishes(synthesized: Synthesize) -> None:
    parameters = synthesized("p6-b200-data").resources("AWS::SSM::Parameter").values()
    published = {parameter["Properties"]["Name"] for parameter in parameters}
    cluster = synthesized("p6-b200-cluster")
    read = set(re.findall(r"{{resolve:ssm:([^}]+)}}", cluster.text))
    assert read <= published
    assert {path.rsplit("/", 1)[1] for path in read} == {
        "subnet-primary-id", "node-security-group-id", "lustre-dns-name", "lustre-mount-name",
    }  # fmt: skip
    # the CDK CLI keeps an old value of a stack parameter, so none may carry a path
    assert list(cluster.template["Parameters"]) == ["BootstrapVersion"]
    # a version's path stays for those who stand on it, and so it does when the stack goes
    assert {parameter["UpdateReplacePolicy"] for parameter in parameters} == {"Retain"}
    assert {parameter["DeletionPolicy"] for parameter in parameters} == {"RetainExceptOnCreate"}


@every_profile
def test_every_resource_that_takes_tags_names_its_profile(name: str, synthesized: Synthesize) -> None:
    untaggable = {
        "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::VPCGatewayAttachment", "AWS::EC2::Route",
        "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress", "AWS::KMS::Alias",
        "AWS::S3::BucketPolicy", "AWS::Grafana::Workspace", "AWS::SNS::TopicPolicy", "Custom::GrafanaContent",
    }  # fmt: skip
    for key, resource in synthesized(name).template["Resources"].items():
        if resource["Type"] not in untaggable:
            assert name in json.dumps(resource["Properties"].get("Tags")), key
