"""HyperPod with Slurm: templates contain what the profile declares, and no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from config.design.model import Design
from config.design.money.costs import plan_cost
from config.design.report.plan import report
from config.profile.source.reference import built_in_names
from config.review.stateful import STATEFUL
from scripts.tools.fuzz.checks.templates import check_template
from tests.conftest import ROOT, Synthesized
from tests.slurm.hyperpod_permissions import PERMISSIONS, permissions_of

pytestmark = pytest.mark.synth

PROFILES: dict[str, Any] = yaml.safe_load((ROOT / "tests/stack/hyperpod_profiles.yaml").read_text())
SCRIPT = "#!/usr/bin/env bash\necho mine\n"
CLUSTERS = [name for name in built_in_names() if not name.endswith("-data")]
Synthesize = Callable[[str], Synthesized]
Load = Callable[[str], tuple[Design, Synthesized]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, synthesized: Synthesize) -> Load:
    """Return a row of the table as design and template."""
    folder = tmp_path_factory.mktemp("hyperpod")

    def load(row: str) -> tuple[Design, Synthesized]:
        file = folder / f"{row}.yaml"
        if not file.exists():
            (folder / "setup.sh").write_text(SCRIPT, encoding="utf-8")
            settings = {"extends": "p6-b200", "name": row, **PROFILES[row]}
            file.write_text(yaml.safe_dump(settings), encoding="utf-8")
        design = load_cluster(str(file)).design
        assert design is not None
        return design, synthesized(str(file))

    return load


def cluster_of(stack: Synthesized) -> dict[str, Any]:
    return stack.only("AWS::SageMaker::Cluster")


def group_of(stack: Synthesized, name: str = "train") -> dict[str, Any]:
    (group,) = [g for g in cluster_of(stack)["InstanceGroups"] if g["InstanceGroupName"] == name]
    return dict(group)


def statements_of(stack: Synthesized) -> dict[str, set[str]]:
    (role,) = [
        role
        for key, role in stack.resources("AWS::IAM::Role").items()
        if key.startswith("OrchestrationNodeRole")
    ]
    assert not role["Properties"].keys() & {"ManagedPolicyArns", "Path"}
    (policy,) = role["Properties"]["Policies"]
    return {s["Sid"]: set(s["Action"]) for s in policy["PolicyDocument"]["Statement"]}


@pytest.mark.long
@pytest.mark.parametrize("row", PROFILES)
def test_the_template_is_one_that_the_linter_and_our_rules_take(row: str, made: Load) -> None:
    design, stack = made(row)
    assert [finding.observed for finding in check_template(design, stack.text)] == []


KEPT = {
    "accounting database": {"AWS::RDS::DBCluster", "AWS::RDS::DBInstance"},
    "access log bucket": {"AWS::S3::Bucket"},
    "buckets for": {"AWS::S3::Bucket"},
    "directory bucket": {"AWS::S3Express::DirectoryBucket"},
    "file system": {"AWS::FSx::FileSystem"},
    "file systems": {"AWS::FSx::FileSystem"},
    "home directories": {"AWS::FSx::FileSystem", "AWS::FSx::Volume"},
    "KMS key": {"AWS::KMS::Key"},
    "session logs": {"AWS::Logs::LogGroup"},
    "metrics": {"AWS::APS::Workspace"},
    "network": set[str](),
    "database secret": {"AWS::SecretsManager::Secret"},
}


@pytest.mark.parametrize("row", PROFILES)
def test_the_plan_names_everything_with_a_state_that_the_stack_leaves(row: str, made: Load) -> None:
    design, stack = made(row)
    left = {
        declared["Type"]
        for declared in stack.template["Resources"].values()
        if str(declared.get("DeletionPolicy")).startswith("Retain")
    }
    named = [KEPT[kept.what] for kept in report(design).kept]
    assert left & STATEFUL.keys() <= set().union(*named)
    assert all(types & left or not types for types in named)


@pytest.mark.parametrize("row", PROFILES)
def test_the_role_may_do_what_the_profile_uses_and_nothing_more(row: str, made: Load) -> None:
    design, stack = made(row)
    wanted = {permission.statement: set(permission.actions) for permission in permissions_of(design)}
    assert statements_of(stack) == wanted


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_role_of_a_built_in_cluster_may_do_nothing_more(name: str, synthesized: Synthesize) -> None:
    design = load_cluster(name).design
    assert design is not None
    wanted = {permission.statement: set(permission.actions) for permission in permissions_of(design)}
    assert statements_of(synthesized(name)) == wanted


def test_every_permission_is_one_that_some_profile_uses(made: Load, synthesized: Synthesize) -> None:
    used = {sid for row in PROFILES for sid in statements_of(made(row)[1])}
    # further file systems and a directory bucket have their own tests
    elsewhere = {"ReadParameters", "DirectoryBuckets"}
    elsewhere |= {"FileSystemMetrics", "MetricsArchives", "MetricsSecret"}
    elsewhere |= {"DescribeInstances", "PodAddresses", "PodIdentity", "PullImages", "TagCluster"}  # with EKS
    elsewhere |= {"RegistryLogin", "RegistryImages", "RegistryCaches"}  # tests/images
    assert used | elsewhere == {permission.statement for permission in PERMISSIONS}


def test_continuous_provisioning_has_an_empty_object_of_slurm_and_no_strategy(made: Load) -> None:
    cluster = cluster_of(made("everything")[1])
    assert cluster["NodeProvisioningMode"] == "Continuous"
    assert "SlurmConfigStrategy" not in cluster["Orchestrator"]["Slurm"]
    assert cluster_of(made("customer")[1])["Orchestrator"] == {"Slurm": {"SlurmConfigStrategy": "Overwrite"}}


def test_another_way_of_provisioning_is_another_cluster_by_name(tmp_path: Path) -> None:
    names = set()
    for provisioning in ("all-at-once", "continuous"):
        file = tmp_path / f"{provisioning}.yaml"
        text = f"extends: p6-b200\nname: mine\norchestrator: {{provisioning: {provisioning}}}\n"
        file.write_text(text, encoding="utf-8")
        design = load_cluster(str(file)).design
        assert design is not None
        assert design.hyperpod is not None
        names.add(design.hyperpod.cluster_name)
    assert len(names) == 2


def test_flexible_types_stand_in_order_and_take_the_place_of_the_one_type(made: Load) -> None:
    group = group_of(made("everything")[1])
    assert group["InstanceRequirements"] == {"InstanceTypes": ["ml.p5e.48xlarge", "ml.p5en.48xlarge"]}
    assert "InstanceType" not in group
    assert (group["InstanceCount"], group["MinInstanceCount"]) == (16, 8)


def test_addresses_are_those_of_the_type_that_takes_most(made: Load) -> None:
    (train,) = [group for group in made("everything")[0].groups if group.name == "train"]
    assert train.addresses_per_node == 32  # p5e; p5en has 16
    assert [one.instance_type.name for one in train.as_each_type] == ["p5e.48xlarge", "p5en.48xlarge"]


def test_scripts_know_the_efa_interfaces_of_every_type_of_a_group(made: Load) -> None:
    plan = made("everything")[0].hyperpod
    assert plan is not None
    assert plan.scripts is not None
    assert {"p5e.48xlarge", "p5en.48xlarge"} <= {
        name
        for line in plan.scripts.files["settings.env"].splitlines()
        if line.startswith("LUSTRE_EFA_INTERFACES=")
        for name in line.replace("'", " ").replace("=", " ").split()
    }


def test_both_volumes_have_their_keys_and_only_the_second_a_size(made: Load) -> None:
    root, second, *_ = group_of(made("everything")[1])["InstanceStorageConfigs"]
    assert root["EbsVolumeConfig"].keys() == {"RootVolume", "VolumeKmsKeyId"}
    assert second["EbsVolumeConfig"]["VolumeKmsKeyId"].endswith("key/01234567-89ab-cdef-0123-456789abcdef")
    assert second["EbsVolumeConfig"]["VolumeSizeInGB"] == 500


def test_images_are_stated_and_updated_as_the_profile_says(made: Load) -> None:
    group = group_of(made("everything")[1])
    assert group["ImageId"] == "ami-0123456789abcdef0"
    assert group["ScheduledUpdateConfig"] == {
        "ScheduleExpression": "cron(0 3 ? * SUN *)",
        "DeploymentConfig": {
            "WaitIntervalInSeconds": 600,
            "AutoRollbackConfiguration": [{"AlarmName": "nodes-lost"}],
        },
    }
    assert group["AutoPatchConfig"]["PatchingStrategy"] == "WhenAllIdle"
    assert group["AutoPatchConfig"]["DeploymentConfig"]["RollingUpdatePolicy"] == {
        "MaximumBatchSize": {"Type": "CAPACITY_PERCENTAGE", "Value": 25},
        "RollbackMaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 8},
    }
    assert "ImageId" not in group_of(made("everything")[1], "login")


def test_bootstrap_runs_nothing_and_publishes_nothing(made: Load) -> None:
    design, stack = made("bootstrap")
    assert design.hyperpod is not None
    assert design.hyperpod.scripts is None
    assert "LifeCycleConfig" not in group_of(stack)
    assert "hyperpod-lifecycle" not in stack.text
    # HyperPod mounts the file systems
    assert [*map(list, group_of(stack)["InstanceStorageConfigs"])] == [
        ["EbsVolumeConfig"],
        ["FsxLustreConfig"],
    ]


def test_customer_managed_scripts_run_from_their_own_bucket_and_ours_do_not(made: Load) -> None:
    stack = made("customer")[1]
    uri = "s3://my-scripts/hyperpod/v1/"
    assert group_of(stack)["LifeCycleConfig"] == {"SourceS3Uri": uri, "OnCreate": "on_create.sh"}
    assert "hyperpod-lifecycle" not in stack.text
    assert '"Bucket": "my-scripts"' in stack.text
    assert ":s3:::${Bucket}/hyperpod/v1/*" in stack.text


def test_hyperpod_15_a_script_of_ones_own_is_vendored_under_the_hash_of_its_text(
    made: Load, tmp_path: Path
) -> None:
    design, stack = made("everything")
    assert design.hyperpod is not None
    assert design.hyperpod.scripts is not None
    assert design.hyperpod.scripts.files["user_script.sh"] == SCRIPT
    (file,) = stack.folder.rglob("user_script.sh")
    assert file.read_text(encoding="utf-8") == SCRIPT
    assert design.hyperpod.scripts.content_hash in json.dumps(group_of(stack)["LifeCycleConfig"])
    hashes = set()
    for text in (SCRIPT, SCRIPT + "echo more\n"):
        (tmp_path / "setup.sh").write_text(text, encoding="utf-8")
        profile = (
            "extends: p6-b200\nname: mine\norchestrator: {lifecycle: {kind: extended, script: setup.sh}}\n"
        )
        (tmp_path / "mine.yaml").write_text(profile, encoding="utf-8")
        changed = load_cluster("mine.yaml", base=tmp_path).design
        assert changed is not None
        assert changed.hyperpod is not None
        assert changed.hyperpod.scripts is not None
        hashes.add(changed.hyperpod.scripts.content_hash)
    assert len(hashes) == 2


def test_hyperpod_13_the_database_is_the_clusters_own_and_there_before_it(made: Load) -> None:
    design, stack = made("everything")
    assert design.hyperpod is not None
    database = cluster_of(stack)["Orchestrator"]["Slurm"]["AccountingDatabase"]
    assert database["Name"] == f"slurm_acct_db_{design.hyperpod.cluster_name.replace('-', '_')}"
    (cluster,) = stack.resources("AWS::SageMaker::Cluster").values()
    instances = set(stack.resources("AWS::RDS::DBInstance"))
    assert len(instances) == 2
    assert instances <= set(cluster["DependsOn"])
    (secret,) = stack.resources("AWS::SecretsManager::Secret")
    assert database["SecretArn"] == {"Ref": secret}


def test_the_database_is_encrypted_backed_up_protected_and_in_two_zones(made: Load) -> None:
    stack = made("everything")[1]
    (database,) = stack.resources("AWS::RDS::DBCluster").values()
    properties = database["Properties"]
    assert properties["StorageEncrypted"] is True
    assert properties["DeletionProtection"] is False  # retention protects it; a rollback must be possible
    assert properties["BackupRetentionPeriod"] == 7
    assert properties["ServerlessV2ScalingConfiguration"] == {"MinCapacity": 0.5, "MaxCapacity": 8}
    kept = ("DBCluster", "DBInstance", "DBSubnetGroup", "DBClusterParameterGroup")
    for kind in (*(f"AWS::RDS::{name}" for name in kept), "AWS::SecretsManager::Secret"):
        for resource in stack.resources(kind).values():
            assert resource["DeletionPolicy"] == "RetainExceptOnCreate"
            assert resource["UpdateReplacePolicy"] == "Retain"
    assert len(stack.only("AWS::RDS::DBSubnetGroup")["SubnetIds"]) == 2
    assert "password" not in json.dumps(properties["MasterUserPassword"]).replace(":password}}", "")


def test_nodes_reach_the_database_on_its_port_and_it_reaches_nothing(made: Load) -> None:
    stack = made("everything")[1]
    groups = [group["Properties"] for group in stack.resources("AWS::EC2::SecurityGroup").values()]
    (group,) = [group for group in groups if "Accounting database" in group["GroupDescription"]]
    (rule,) = group["SecurityGroupIngress"]
    assert (rule["FromPort"], rule["ToPort"], rule["IpProtocol"]) == (3306, 3306, "tcp")
    assert "SourceSecurityGroupId" in rule
    assert [egress["CidrIp"] for egress in group["SecurityGroupEgress"]] == ["127.0.0.1/32"]


def test_an_existing_database_gets_rules_in_both_groups_and_no_resource(made: Load) -> None:
    stack = made("existing-database")[1]
    assert stack.resources("AWS::RDS::DBCluster") == {}
    database = cluster_of(stack)["Orchestrator"]["Slurm"]["AccountingDatabase"]
    assert (database["Endpoint"], database["Port"], database["Name"]) == (
        "accounting.example.com", 3307, "slurm_west",
    )  # fmt: skip
    rules = [
        rule["Properties"]
        for kind in ("Ingress", "Egress")
        for rule in stack.resources(f"AWS::EC2::SecurityGroup{kind}").values()
        if rule["Properties"].get("FromPort") == 3307
    ]
    assert [rule["GroupId"] == "sg-0123456789abcdef0" for rule in rules] == [True, False]
    (cluster,) = stack.resources("AWS::SageMaker::Cluster").values()
    assert len([key for key in cluster["DependsOn"] if "AccountingAccess" in key]) == 2


def test_a_database_is_in_the_plan_among_what_is_billed(made: Load) -> None:
    lines = {line.item: line for line in plan_cost(made("everything")[0]).lines}
    # two instances with the minimum of 0.5 ACU each, at 0.12 USD per ACU and hour
    assert lines["Slurm accounting: Aurora MySQL Serverless"].usd_per_hour == pytest.approx(0.12)
    assert lines["Slurm accounting: secret"].usd_per_month == 0.4


def test_a_plan_tells_how_nodes_come_what_they_run_and_where_jobs_are_accounted(made: Load) -> None:
    reported = report(made("everything")[0])
    assert reported.hyperpod is not None
    assert reported.hyperpod.provisioning.startswith("continuous")
    assert (
        reported.hyperpod.scripts == "HyperPod's default setup, then ultracluster's scripts, then your script"
    )
    assert reported.hyperpod.accounting is not None
    assert reported.hyperpod.accounting.endswith("on Aurora MySQL, 2 instances with 0.5 to 8 ACU each")
    (train,) = [group for group in reported.groups if group.name == "train"]
    assert train.settings == (
        "alternative types, in order: p5en.48xlarge",
        "rolled back if fewer than 8 nodes exist after 3 hours",
        "root volume and second volume encrypted with your KMS key",
        "node image: ami-0123456789abcdef0",
        "image updated at cron(0 3 ? * SUN *), rolled back on alarm nodes-lost; running jobs are lost",
        "image patched when all idle, 25 per cent at a time, rolled back on alarm gpus-lost or nodes-lost",
    )
    others = [report(made(row)[0]).hyperpod for row in ("bootstrap", "customer", "existing-database")]
    assert [one.scripts.partition(" ")[0] for one in others if one] == [
        "only",
        "on_create.sh",
        "HyperPod's",
    ]
    assert [one.accounting for one in others if one] == [
        None, None, "database slurm_west at accounting.example.com:3307",
    ]  # fmt: skip


def test_a_cluster_on_another_profiles_data_stands_in_its_subnets(
    tmp_path: Path, synthesized: Synthesize
) -> None:
    file = tmp_path / "attached.yaml"
    orchestrator = "{provisioning: continuous, accounting: {kind: new}}"
    file.write_text(
        f"extends: p6-b200-cluster\nname: attached\norchestrator: {orchestrator}\n", encoding="utf-8"
    )
    subnets = synthesized(str(file)).only("AWS::RDS::DBSubnetGroup")["SubnetIds"]
    assert [subnet.startswith("{{resolve:ssm:") for subnet in subnets] == [True, True]
