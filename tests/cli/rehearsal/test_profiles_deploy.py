"""Every built-in profile deployed with the real CDK CLI, and the contract's own commands by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from config.cluster import load_cluster
from config.design.model import Design
from config.profile.source.reference import built_in_names
from scripts.cli.rehearsal.assembly import read_assembly
from scripts.cli.rehearsal.destroy import Retained, destroy_stack
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.existing import create_existing
from scripts.cli.rehearsal.session import Options
from scripts.cli.rehearsal.target import Target
from scripts.cli.rehearsal.toolkit import Toolkit
from scripts.cloud.process import Cloud
from tests.conftest import ROOT, Synthesized

if TYPE_CHECKING:
    from tests.cloud.fixtures import Cdk

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

# a cluster on another profile's data comes after it
IN_ORDER = sorted(built_in_names(), key=lambda name: load_cluster(name).data_profile is not None)


def design_of(name: str) -> Design:
    design = load_cluster(name).design
    assert design is not None
    return design


def bootstrap(cloud: Cloud, region: str, folder: Path) -> None:
    versions = cloud.client("ssm", region).get_parameters(Names=["/cdk-bootstrap/hnb659fds/version"])
    if not versions["Parameters"]:
        Toolkit(ROOT, cloud.environment()).bootstrap(cloud.account, region, folder)


DEPLOYED = [name if name == "p6-b200" else pytest.param(name, marks=pytest.mark.long) for name in IN_ORDER]


@pytest.mark.parametrize("name", DEPLOYED)
def test_the_profile_deploys_and_boto3_reads_it_back(
    name: str, cloud: Cloud, synthesized: Callable[[str], Synthesized]
) -> None:
    design, folder = design_of(name), synthesized(name).folder
    region = design.profile.region
    bootstrap(cloud, region, folder)
    Toolkit(ROOT, cloud.environment()).deploy(folder)
    (stack,) = cloud.client("cloudformation", region).describe_stacks(StackName=name)["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert stack["EnableTerminationProtection"] is True
    if design.hyperpod:
        nodes_are_there(cloud, design)
    if design.owns_lustre:
        file_system_is_there(cloud, design)
    if design.profile.observability:
        # not by alias: an earlier stack of this cloud may have left its workspace
        stack_resources = cloud.client("cloudformation", region).describe_stack_resources(StackName=name)
        (workspace,) = [
            cloud.client("amp", region).describe_workspace(
                workspaceId=r["PhysicalResourceId"].rpartition("/")[2]
            )
            for r in stack_resources["StackResources"]
            if r["ResourceType"] == "AWS::APS::Workspace"
        ]
        assert workspace["workspace"]["status"]["statusCode"] == "ACTIVE"


def nodes_are_there(cloud: Cloud, design: Design) -> None:
    assert design.hyperpod is not None
    assert design.hyperpod.scripts is not None
    sagemaker = cloud.client("sagemaker", design.profile.region)
    cluster = sagemaker.describe_cluster(ClusterName=design.hyperpod.cluster_name)
    assert cluster["ClusterStatus"] == "InService"
    counts = {group["InstanceGroupName"]: group["CurrentCount"] for group in cluster["InstanceGroups"]}
    assert counts == {group.name: group.count for group in design.groups}
    # every node has the scripts that it will fetch
    uri = cluster["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    objects = cloud.client("s3", design.profile.region).list_objects_v2(Bucket=bucket, Prefix=prefix)
    assert {item["Key"].removeprefix(prefix) for item in objects["Contents"]} == set(
        design.hyperpod.scripts.files
    )


def file_system_is_there(cloud: Cloud, design: Design) -> None:
    assert design.lustre is not None
    region = design.profile.region
    resources = cloud.client("cloudformation", region).describe_stack_resources(StackName=design.profile.name)
    ids = {r["ResourceType"]: r["PhysicalResourceId"] for r in resources["StackResources"]}
    fsx = cloud.client("fsx", region)
    (system,) = fsx.describe_file_systems(FileSystemIds=[ids["AWS::FSx::FileSystem"]])["FileSystems"]
    assert system["StorageCapacity"] == design.lustre.capacity_gib
    assert system["LustreConfiguration"]["PerUnitStorageThroughput"] == design.lustre.throughput_mbps_per_tib
    assert system["LustreConfiguration"].get("EfaEnabled", False) is design.lustre.efa
    filters = [{"Name": "file-system-id", "Values": [system["FileSystemId"]]}]
    links = fsx.describe_data_repository_associations(Filters=filters)["Associations"]
    assert {link["FileSystemPath"] for link in links} == {r.path for r in design.lustre.repositories}


CHANGED = """\
extends: p6-b200
name: by-hand
compute:
  groups:
    - {{name: controller, role: controller, instance_type: m5.4xlarge, count: 1}}
    - {{name: login, role: login, instance_type: m5.4xlarge, count: 1}}
    - {{name: train, role: compute, instance_type: p6-b200.48xlarge, count: {count}}}
"""


@pytest.mark.long
def test_a_users_profile_by_hand_deploys_unchanged_changes_and_is_destroyed(
    cloud: Cloud, tmp_path: Path, cdk_by_hand: Cdk, synthesized: Callable[[str], Synthesized]
) -> None:
    file = tmp_path / "by-hand.yaml"
    file.write_text(CHANGED.format(count=2), encoding="utf-8")
    context = ["--context", f"profile={file}"]
    sagemaker = cloud.client("sagemaker", "us-west-2")
    name = load_cluster(str(file)).design.hyperpod.cluster_name  # type: ignore[union-attr]  # it has both
    bootstrap(cloud, "us-west-2", synthesized("p6-b200").folder)

    first = cdk_by_hand.run("deploy", *context, "--require-approval", "never")
    assert (first.status, "✅  by-hand" in first.output) == (0, True), first.output
    stack = cloud.client("cloudformation", "us-west-2").describe_stacks(StackName="by-hand")["Stacks"][0]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
    # the command as it can be typed from where the CLI ran, not only beside the file
    argument = load_cluster(str(file), base=ROOT).destroy_command.split()[2]
    assert (ROOT / argument).resolve() == file.resolve()
    assert outputs["DestroyCommand"] == f"ultracluster teardown {argument} --aws"
    assert outputs["DestroyCommand"] in first.output
    again = cdk_by_hand.run("deploy", *context, "--require-approval", "never")
    assert "(no changes)" in again.output, again.output
    assert "There were no differences" in cdk_by_hand.run("diff", *context, "--fail").output

    file.write_text(CHANGED.format(count=3), encoding="utf-8")
    compared = cdk_by_hand.run("diff", *context, "--fail")
    assert compared.status == 1
    changed = cdk_by_hand.run("deploy", *context, "--require-approval", "never")
    assert changed.status == 0, changed.output
    nodes = sagemaker.list_cluster_nodes(ClusterName=name)["ClusterNodeSummaries"]
    assert sum(node["InstanceGroupName"] == "train" for node in nodes) == 3

    refused = cdk_by_hand.run("destroy", *context, "--force")
    assert refused.status == 1
    assert "TerminationProtection is enabled" in refused.output
    cloudformation = cloud.client("cloudformation", "us-west-2")
    cloudformation.update_termination_protection(StackName="by-hand", EnableTerminationProtection=False)
    assert cdk_by_hand.run("destroy", *context, "--force").status == 0
    assert name not in [c["ClusterName"] for c in sagemaker.list_clusters()["ClusterSummaries"]]
    # what was retained does not stand in the way of the same profile again
    once_more = cdk_by_hand.run("deploy", *context, "--require-approval", "never")
    assert once_more.status == 0, once_more.output


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("context", "status", "said"),
    [
        ([], 2, "PRO001"),
        (["profile=p6-b20"], 2, "did you mean p6-b200"),
        (["profile=no/such/file.yaml"], 2, "the file does not exist"),
        (["profile=p6e-gb200", "orchestrator=pcs"], 1, "ORC027"),
        (["profile=p6-b200", "orchestrator=slurm"], 1, "unknown orchestrator"),
    ],
)
def test_bad_input_is_a_diagnostic_through_cdk_synth(
    context: list[str], status: int, said: str, cdk_by_hand: Cdk
) -> None:
    done = cdk_by_hand.run("synth", "--quiet", *(word for pair in context for word in ("--context", pair)))
    assert done.status == 1  # the CLI's own
    assert said in done.output
    assert f"exit code {status}" in done.output.lower() or f"error {status}" in done.output.lower()
    assert "Traceback" not in done.output


@pytest.fixture
def cdk_by_hand(cloud: Cloud) -> Cdk:
    """The CLI as the README describes it: in the repository, with the profile in the context."""
    from tests.cloud.fixtures import Cdk

    return Cdk(ROOT, cloud.environment())


@pytest.mark.long
def test_an_account_guard_refuses_other_credentials(cloud: Cloud, tmp_path: Path, cdk_by_hand: Cdk) -> None:
    file = tmp_path / "guarded.yaml"
    file.write_text('extends: p5-dev\nname: guarded\naccount: "000000000000"\n', encoding="utf-8")
    done = cdk_by_hand.run("deploy", "--context", f"profile={file}", "--require-approval", "never")
    assert done.status == 1
    assert "000000000000" in done.output
    stacks = cloud.client("cloudformation", "us-east-2").list_stacks()["StackSummaries"]
    assert "guarded" not in [stack["StackName"] for stack in stacks]


EXISTING = """\
extends: p6-b200
name: on-ours
network:
  kind: existing
  vpc_id: vpc-0123456789abcdef0
  vpc_cidr: 10.20.0.0/16
  subnets:
    - {id: subnet-0123456789abcdef0, cidr: 10.20.0.0/17, availability_zone_id: usw2-az2}
"""
ARCHIVE = """
storage:
  additional_lustre:
    - kind: existing
      name: archive
      file_system_id: fs-0123456789abcdef0
      mount_name: abcdefgh
      security_group_id: sg-0123456789abcdef0
      capacity_gib: 4800
      throughput_mbps_per_tib: 250
      mount_path: /archive
"""


@pytest.mark.long
def test_a_network_that_exists_is_made_with_its_ids_before_a_rehearsal(
    cloud: Cloud, tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    file = tmp_path / "on-ours.yaml"
    file.write_text(EXISTING + ARCHIVE, encoding="utf-8")
    folder = synthesized(str(file)).folder
    bootstrap(cloud, "us-west-2", folder)
    place = Target(cloud.account, started=False, cloud=cloud)
    for _ in range(2):  # and is left alone where it is there
        create_existing(str(file), None, place)
    more = tmp_path / "one-more.yaml"
    second = "    - {id: subnet-0123456789abcdef1, cidr: 10.20.128.0/20, availability_zone_id: usw2-az1}\n"
    more.write_text(EXISTING + second, encoding="utf-8")
    create_existing(str(more), None, place)  # only what is missing
    blocks = tmp_path / "blocks.yaml"
    third = second.replace("def1", "def3").replace("10.20.128.0/20", "100.64.0.0/18").replace("az1", "az3")
    declared = EXISTING.replace("vpc_cidr", "vpc_secondary_cidrs: [100.64.0.0/16]\n  vpc_cidr")
    blocks.write_text(declared.replace("bcdef0", "bcdef9") + third, encoding="utf-8")
    create_existing(str(blocks), None, place)  # in another VPC, of two blocks
    elsewhere = tmp_path / "elsewhere.yaml"
    third = second.replace("def1", "def2")
    elsewhere.write_text((EXISTING + third).replace("10.20.", "10.30."), encoding="utf-8")
    with pytest.raises(RehearsalError, match=r"cannot create this network: .*10\.30\.128\.0/20"):
        create_existing(str(elsewhere), None, place)
    Toolkit(ROOT, cloud.environment()).deploy(folder)
    ec2 = cloud.client("ec2", "us-west-2")
    (subnet,) = ec2.describe_subnets(SubnetIds=["subnet-0123456789abcdef0"])["Subnets"]
    assert (subnet["VpcId"], subnet["AvailabilityZoneId"]) == ("vpc-0123456789abcdef0", "usw2-az2")
    (system,) = [
        found
        for found in cloud.client("fsx", "us-west-2").describe_file_systems()["FileSystems"]
        if found["SubnetIds"] == ["subnet-0123456789abcdef0"]
    ]
    assert system["Lifecycle"] == "AVAILABLE"
    (group,) = ec2.describe_security_groups(GroupIds=["sg-0123456789abcdef0"])["SecurityGroups"]
    assert group["VpcId"] == "vpc-0123456789abcdef0"
    assert {rule["FromPort"] for rule in group["IpPermissions"]} == {988, 1018}


@pytest.mark.long
def test_a_data_stack_under_a_cluster_is_not_destroyed(
    cloud: Cloud, synthesized: Callable[[str], Synthesized]
) -> None:
    for name in ("p6-b200-data", "p6-b200-cluster"):
        folder = synthesized(name).folder
        bootstrap(cloud, "us-west-2", folder)
        Toolkit(ROOT, cloud.environment()).deploy(folder)
    place = Target(cloud.account, started=False, cloud=cloud)
    assembly = read_assembly(synthesized("p6-b200-data").folder)
    # the profile at hand may have changed since: what is deployed counts
    assembly = replace(assembly, template={"Resources": {}})
    with pytest.raises(RehearsalError, match="of p6-b200-data are used by p6-b200-cluster"):
        destroy_stack(Options(profile="p6-b200-data"), assembly, place, confirm="p6-b200-data")


@pytest.mark.long
def test_teardown_leaves_what_it_says_and_no_paths(
    cloud: Cloud, tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    data, cluster = tmp_path / "last-data.yaml", tmp_path / "last-cluster.yaml"
    data.write_text("extends: p6-b200-data\nname: last-data\n", encoding="utf-8")
    declared = "extends: p6-b200-cluster\nname: last-cluster\ndata: {profile: ./last-data.yaml}\n"
    cluster.write_text(declared, encoding="utf-8")
    for file in (data, cluster):
        folder = synthesized(str(file)).folder
        bootstrap(cloud, "us-west-2", folder)
        Toolkit(ROOT, cloud.environment()).deploy(folder)
    place = Target(cloud.account, started=False, cloud=cloud)
    ssm = cloud.client("ssm", "us-west-2")
    published = {"Path": "/ultracluster/last-data", "Recursive": True}
    assert ssm.get_parameters_by_path(**published)["Parameters"]
    kept: list[Retained] = []
    for file in (cluster, data):
        name = file.stem
        assembly = read_assembly(synthesized(str(file)).folder)
        kept += destroy_stack(Options(profile=str(file)), assembly, place, confirm=name).kept
    assert ssm.get_parameters_by_path(**published)["Parameters"] == []
    systems = [item.physical_id for item in kept if item.type == "AWS::FSx::FileSystem"]
    fsx, s3 = cloud.client("fsx", "us-west-2"), cloud.client("s3", "us-west-2")
    assert len(fsx.describe_file_systems(FileSystemIds=systems)["FileSystems"]) == len(systems) == 1
    buckets = {item.physical_id for item in kept if item.type == "AWS::S3::Bucket"}
    assert buckets <= {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
    assert len(buckets) == 3
    assert not [item for item in kept if item.type == "AWS::SSM::Parameter"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("efa: false", "EfaEnabled"),
        ("throughput_mbps_per_tib: 1000", "PerUnitStorageThroughput"),
    ],
)
def test_a_change_that_fsx_cannot_make_fails_the_update(
    change: str, named: str, cloud: Cloud, tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    region = "us-west-2"
    cloudformation = cloud.client("cloudformation", region)
    bootstrap(cloud, region, synthesized("p6-b200").folder)
    Toolkit(ROOT, cloud.environment()).deploy(synthesized("p6-b200").folder)
    file = tmp_path / "changed.yaml"
    file.write_text(f"extends: p6-b200\nname: p6-b200\nstorage: {{lustre: {{{change}}}}}\n", encoding="utf-8")
    with pytest.raises(RehearsalError):
        Toolkit(ROOT, cloud.environment()).deploy(synthesized(str(file)).folder)
    events = cloudformation.describe_stack_events(StackName="p6-b200")["StackEvents"]
    reasons = [event.get("ResourceStatusReason", "") for event in events]
    assert any("does not support this update" in reason and named in reason for reason in reasons)
    (stack,) = cloudformation.describe_stacks(StackName="p6-b200")["Stacks"]
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
