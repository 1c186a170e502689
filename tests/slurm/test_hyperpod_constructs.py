"""Constructs of HyperPod with Slurm: scripts, role and cluster."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack
from constructs import Construct

from config.review.capacity import METADATA_KEY
from tests.slurm.hyperpod_permissions import PERMISSIONS
from tests.stack.library import library_set
from tests.stack.library.support import REGION, Synthesized, depends_on, lint_findings, synthesize
from ultracluster.nodes import NodeMetricsAccess, NodeScripts, NodeScriptsProps
from ultracluster.retention import Retention
from ultracluster.slurm import (
    AccountingDatabase,
    AccountingDatabaseCluster,
    AccountingDatabaseClusterProps,
    AutoPatch,
    BatchSize,
    Deployment,
    HyperPodExecutionRole,
    HyperPodExecutionRoleProps,
    HyperPodGroup,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    Lifecycle,
)

pytestmark = pytest.mark.synth

CONTROLLER = HyperPodGroup(name="controller", node_type="controller", instance_type="ml.m5.4xlarge", count=1)
TRAIN = HyperPodGroup(
    name="train",
    node_type="compute",
    instance_type="ml.p5.48xlarge",
    count=2,
    partition="train",
    training_plan_arn="arn:aws:sagemaker:us-west-2:123456789012:training-plan/example",
    override_subnet_ids=["subnet-0123456789abcdef1"],
)
BACK = Deployment(rollback_batch=BatchSize(kind="INSTANCE_COUNT", value=1))
CONTINUOUS = HyperPodSlurmClusterProps(
    cluster_name="continuous",
    subnet_ids=["subnet-0123456789abcdef0"],
    security_group_ids=["sg-0123456789abcdef0"],
    groups=[TRAIN, CONTROLLER],
    slurm_config_strategy=None,
    node_recovery="None",
    lifecycle=Lifecycle(source_s3_uri="s3://bucket/prefix/", on_init_complete="on_init_complete.sh"),
    execution_role_arn="arn:aws:iam::123456789012:role/example",
)


@pytest.fixture(scope="module")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("assembly")


@pytest.fixture(scope="module")
def hyperpod(assembly: Path) -> Synthesized:
    def build(stack: Stack) -> None:
        network, nodes = library_set.add_network(Construct(stack, "Network"), Retention.RETAIN)
        lustre = library_set.add_storage(Construct(stack, "Storage"), network, nodes, Retention.RETAIN)
        library_set.add_hyperpod(Construct(stack, "Orchestration"), network, nodes, lustre)

    return synthesize(build, App(outdir=str(assembly), analytics_reporting=False))


@pytest.fixture(scope="module")
def continuous() -> Synthesized:
    def build(stack: Stack) -> None:
        HyperPodSlurmCluster(stack, "cluster", CONTINUOUS)
        props = HyperPodExecutionRoleProps(
            cluster_name="continuous",
            scripts_bucket_name="bucket",
            scripts_prefix="hyperpod-lifecycle/1",
            remote_write_workspace_arn=f"arn:aws:aps:{REGION}:123456789012:workspace/ws-1",
            metrics=NodeMetricsAccess(file_system_metrics=True, archives="my-bucket/metrics"),
        )
        HyperPodExecutionRole(stack, "role", props)

    return synthesize(build)


def groups_of(template: Synthesized) -> dict[str, dict[str, Any]]:
    groups = template.properties("AWS::SageMaker::Cluster")["InstanceGroups"]
    return {group["InstanceGroupName"]: group for group in groups}


def test_templates_lint_clean(continuous: Synthesized) -> None:
    assert lint_findings(continuous.template) == []


def test_machines_read_for_their_metrics_what_is_named_and_nothing_else(continuous: Synthesized) -> None:
    statements = continuous.statements()
    wanted = {permission.statement: set(permission.actions) for permission in PERMISSIONS}
    for sid in ("FileSystemMetrics", "MetricsArchives"):
        action = statements[sid]["Action"]
        assert set([action] if isinstance(action, str) else action) == wanted[sid]
    assert "MetricsSecret" not in statements


def test_hyperpod_21_groups_are_sorted_by_name(hyperpod: Synthesized) -> None:
    assert list(groups_of(hyperpod)) == ["controller", "login", "train"]


def test_current_count_is_never_written(hyperpod: Synthesized) -> None:
    assert "CurrentCount" not in json.dumps(hyperpod.template)


def test_hyperpod_01_slurm_is_configured_by_the_api_with_our_script_afterwards(hyperpod: Synthesized) -> None:
    groups = groups_of(hyperpod)
    assert groups["controller"]["SlurmConfig"] == {"NodeType": "Controller"}
    assert groups["login"]["SlurmConfig"] == {"NodeType": "Login"}
    assert groups["train"]["SlurmConfig"] == {"NodeType": "Compute", "PartitionNames": ["train"]}
    for group in groups.values():
        assert set(group["LifeCycleConfig"]) == {"SourceS3Uri", "OnInitComplete"}
    cluster = hyperpod.properties("AWS::SageMaker::Cluster")
    assert cluster["Orchestrator"] == {"Slurm": {"SlurmConfigStrategy": "Managed"}}
    assert "NodeProvisioningMode" not in cluster


def test_without_a_strategy_provisioning_is_continuous_and_the_empty_object_stays(
    continuous: Synthesized,
) -> None:
    cluster = continuous.properties("AWS::SageMaker::Cluster")
    assert cluster["NodeProvisioningMode"] == "Continuous"
    assert cluster["Orchestrator"] == {"Slurm": {}}


ARN = "arn:aws:secretsmanager:us-west-2:123456789012:secret:accounting-AbCdEf"
DATABASE = AccountingDatabase(endpoint="db.example.com", port=3306, name="slurm", secret_arn=ARN)
BOTH = Lifecycle(source_s3_uri="s3://bucket/prefix/", on_init_complete="a.sh", on_create="b.sh")


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"slurm_config_strategy": "Merge", "accounting": DATABASE}, "continuous provisioning"),
        (
            {"slurm_config_strategy": "Merge", "groups": [replace(TRAIN, min_count=1), CONTROLLER]},
            "min_count",
        ),
        ({"groups": [replace(TRAIN, min_count=3), CONTROLLER]}, "min_count 3 of 2"),
        ({"lifecycle": BOTH}, "exactly one of on_create and on_init_complete"),
        ({"lifecycle": replace(BOTH, on_init_complete=None, on_create=None)}, "exactly one"),
        (
            {
                "groups": [
                    CONTROLLER,
                    replace(TRAIN, auto_patch=AutoPatch(strategy="WhenIdle", deployment=BACK)),
                ]
            },
            "rollback_batch without batch",
        ),
    ],
)
def test_props_that_contradict_each_other_are_refused(change: dict[str, Any], reported: str) -> None:
    with pytest.raises(ValueError, match=reported):
        synthesize(lambda stack: HyperPodSlurmCluster(stack, "cluster", replace(CONTINUOUS, **change)))


@pytest.mark.parametrize(
    ("change", "reported"),
    [({"subnet_ids": ["subnet-1"]}, "pass subnets in 2 zones"), ({"min_acu": 9.0}, "min_acu 9.0 is above")],
)
def test_a_database_that_aurora_refuses_is_refused(change: dict[str, Any], reported: str) -> None:
    props = AccountingDatabaseClusterProps(
        name="demo", vpc_id="vpc-1", subnet_ids=["subnet-1", "subnet-2"], client_security_group_id="sg-1",
        engine_version="8.0.mysql_aurora.3.10.3", min_acu=0.5, max_acu=8, instances=1,
        backup_retention_days=7, retention=Retention.RETAIN,
    )  # fmt: skip
    with pytest.raises(ValueError, match=reported):
        synthesize(lambda stack: AccountingDatabaseCluster(stack, "database", replace(props, **change)))


def test_what_reservations_hold_is_kept_in_the_metadata() -> None:
    def metadata(**more: Any) -> Any:
        props = replace(CONTINUOUS, **more)
        template = synthesize(lambda stack: HyperPodSlurmCluster(stack, "cluster", props)).template
        (cluster,) = template["Resources"].values()
        return cluster.get("Metadata")

    held = {"plan-b": 4, "plan-a": 16}
    assert metadata() is None
    assert metadata(reserved_instances=held) == {METADATA_KEY: {"plan-a": 16, "plan-b": 4}}


def test_volumes_and_mounts(hyperpod: Synthesized) -> None:
    file_system, _ = hyperpod.named("AWS::FSx::FileSystem")
    mount = {
        "FsxLustreConfig": {
            "DnsName": {"Fn::GetAtt": [file_system, "DNSName"]},
            "MountName": {"Fn::GetAtt": [file_system, "LustreMountName"]},
            "MountPath": "/fsx",
        }
    }
    groups = groups_of(hyperpod)
    assert groups["login"]["InstanceStorageConfigs"] == [mount]
    root, secondary, last = groups["train"]["InstanceStorageConfigs"]
    assert root["EbsVolumeConfig"].keys() == {"RootVolume", "VolumeKmsKeyId"}
    assert secondary["EbsVolumeConfig"]["VolumeSizeInGB"] == 500
    assert last == mount


def test_training_plan_and_other_subnets_are_the_groups_own(continuous: Synthesized) -> None:
    groups = groups_of(continuous)
    assert groups["train"]["TrainingPlanArn"] == TRAIN.training_plan_arn
    assert groups["train"]["OverrideVpcConfig"] == {
        "SecurityGroupIds": ["sg-0123456789abcdef0"],
        "Subnets": ["subnet-0123456789abcdef1"],
    }
    assert not groups["controller"].keys() & {
        "TrainingPlanArn",
        "OverrideVpcConfig",
        "OnStartDeepHealthChecks",
    }


def test_storage_17_cluster_waits_for_what_a_machine_needs_to_boot_and_not_for_links(
    hyperpod: Synthesized,
) -> None:
    needed = set(depends_on(hyperpod.named("AWS::SageMaker::Cluster")[1]))
    assert hyperpod.named("AWS::EC2::Route", "Private")[0] in needed
    assert set(hyperpod.of_type("AWS::EC2::VPCEndpoint")) <= needed
    assert {key for key in hyperpod.of_type("AWS::EC2::SecurityGroupEgress") if "Self" not in key} <= needed
    assert not needed & set(hyperpod.of_type("AWS::FSx::DataRepositoryAssociation"))


def test_hyperpod_06_role_reads_objects_by_object_arn(continuous: Synthesized) -> None:
    statements = continuous.statements()
    (objects, _) = statements["ReadScripts"]["Resource"]["Fn::Sub"]
    assert objects == "arn:${AWS::Partition}:s3:::${Bucket}/hyperpod-lifecycle/1/*"
    (bucket, _) = statements["ListScripts"]["Resource"]["Fn::Sub"]
    assert bucket == "arn:${AWS::Partition}:s3:::${Bucket}"
    # HeadBucket has no prefix, so a condition on the prefix would deny it
    assert statements["ListScripts"]["Condition"] == {
        "StringEquals": {"aws:ResourceAccount": {"Ref": "AWS::AccountId"}}
    }


def test_hyperpod_03_role_may_describe_file_systems_only_where_asked(
    hyperpod: Synthesized, continuous: Synthesized
) -> None:
    assert hyperpod.statements("Orchestration")["DescribeFileSystems"]["Action"] == [
        "fsx:DescribeFileSystems"
    ]
    assert "DescribeFileSystems" not in continuous.statements()
    assert "VolumeKeys" not in continuous.statements()
    assert continuous.statements()["RemoteWrite"]["Action"] == ["aps:RemoteWrite"]


def test_the_role_reads_the_parameters_of_its_scripts_and_no_others(hyperpod: Synthesized) -> None:
    statement = hyperpod.statements("Orchestration")["ReadParameters"]
    assert statement["Action"] == ["ssm:GetParameter"]
    base = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter"
    assert statement["Resource"] == [
        {"Fn::Sub": f"{base}/demo/data-dns-name"}, {"Fn::Sub": f"{base}/demo/data-mount-name"},
    ]  # fmt: skip


def test_a_role_whose_scripts_read_no_parameters_may_read_none(continuous: Synthesized) -> None:
    assert "ReadParameters" not in continuous.statements()


def test_hyperpod_38_role_has_no_path_and_no_managed_policy(continuous: Synthesized) -> None:
    role = continuous.properties("AWS::IAM::Role")
    assert not role.keys() & {"Path", "ManagedPolicyArns", "RoleName"}
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "sagemaker.amazonaws.com"}


def test_scripts_share_one_prefix_named_after_their_content(hyperpod: Synthesized, assembly: Path) -> None:
    manifest = json.loads((assembly / "Demo.assets.json").read_text())["files"]
    published = {
        file["destinations"][destination]["objectKey"]: assembly / file["source"]["path"]
        for file in manifest.values()
        for destination in file["destinations"]
        if not file["source"]["path"].endswith(".template.json")
    }
    prefixes = {key.rpartition("/")[0] for key in published}
    assert len(prefixes) == 1
    for key, path in published.items():
        assert path.read_text() == library_set.SCRIPTS[key.rpartition("/")[2]]
    assert {key.rpartition("/")[2] for key in published} == set(library_set.SCRIPTS)
    uri = json.dumps(groups_of(hyperpod)["train"]["LifeCycleConfig"]["SourceS3Uri"])
    assert f"/{prefixes.pop()}/" in uri


def test_a_changed_script_is_a_changed_prefix() -> None:
    def prefix(text: str) -> str:
        app = App(analytics_reporting=False)
        return NodeScripts(Stack(app, "Demo"), "scripts", NodeScriptsProps(files={"a.sh": text})).prefix

    assert prefix("one") == prefix("one") != prefix("two")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "at least one"),
        ({"folder/a.sh": ""}, "rename them"),
        ({"a.sh": "", "a.py": ""}, "differ only in their extension"),
        ({"provisioning_parameters.json": "{}"}, "provisioning_parameters.json"),  # HYPERPOD-01
    ],
)
def test_bundles_that_cannot_work_are_refused(files: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NodeScripts(Stack(), "scripts", NodeScriptsProps(files=files))


LOGIN = replace(CONTROLLER, name="login", node_type="login")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([TRAIN], "exactly one"),
        ([CONTROLLER, replace(CONTROLLER, name="second")], "exactly one"),
        ([CONTROLLER, LOGIN, replace(LOGIN, name="login-2")], "at most one"),
        ([CONTROLLER, TRAIN, TRAIN], "not unique"),
        ([CONTROLLER, replace(TRAIN, partition=None)], "compute groups require a partition"),
        ([replace(CONTROLLER, partition="dev")], "other groups must not have one"),
        ([replace(CONTROLLER, ebs_volume_key_arn="arn")], "set the size of the volume"),
    ],
)
def test_groups_that_the_service_would_refuse_are_refused(groups: list[HyperPodGroup], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HyperPodSlurmCluster(Stack(), "cluster", replace(CONTINUOUS, groups=groups))
