"""Constructs of AWS PCS: the role of nodes, and a cluster with groups and queues."""

from __future__ import annotations

from dataclasses import replace

import pytest
from aws_cdk import Stack

from tests.stack.library.nag import unacknowledged_findings
from tests.stack.library.support import Synthesized, lint_findings, synthesize
from ultracluster.nodes import NodeMetricsAccess
from ultracluster.slurm import (
    PcsCluster,
    PcsClusterProps,
    PcsGroup,
    PcsNodeRole,
    PcsNodeRoleProps,
    PcsQueue,
    PcsScript,
)

pytestmark = pytest.mark.synth

TRAIN = PcsGroup(
    key="train",
    name="train-0a1b2c",
    instance_type="p5.48xlarge",
    min_count=2,
    max_count=2,
    subnet_ids=["subnet-0123456789abcdef0"],
    launch_template_id="lt-0123456789abcdef0",
    launch_template_version="3",
    image_id="ami-0123456789abcdef0",
)
SCRIPT = PcsScript(
    name="prepare",
    location="s3://bucket/prefix/fetch.sh",
    checksum="0" * 64,
    arguments=["s3://bucket/prefix/", "us-west-2"],
)
PROPS = PcsClusterProps(
    cluster_name="demo-0a1b2c",
    size="SMALL",
    slurm_version="25.11",
    subnet_id="subnet-0123456789abcdef0",
    security_group_ids=["sg-0123456789abcdef0"],
    instance_profile_arn="arn:aws:iam::123456789012:instance-profile/aws-pcs/demo",
    groups=[TRAIN],
    queues=[PcsQueue(name="gpu", groups=["train"])],
    reserved_instances={"cr-b": 2, "cr-a": 1},
    scripts_object_keys=["a/b.sh"],
    tags={"project": "tests"},
)


def made(props: PcsClusterProps) -> Synthesized:
    return synthesize(lambda stack: PcsCluster(stack, "Pcs", props))


def test_a_plain_cluster_says_nothing_that_pcs_would_refuse() -> None:
    cluster = made(PROPS)
    assert cluster.properties("AWS::PCS::Cluster")["SlurmConfiguration"] == {
        "ScaleDownIdleTimeInSeconds": 600
    }
    group = cluster.properties("AWS::PCS::ComputeNodeGroup")
    assert not {"SlurmConfiguration", "SpotOptions", "NodeLifecycleActions"} & group.keys()
    assert "SlurmConfiguration" not in cluster.properties("AWS::PCS::Queue")
    assert lint_findings(cluster.template) == []


def test_records_are_kept_for_ever_or_for_the_days_that_are_stated() -> None:
    for days, written in ((None, -1), (30, 30)):
        slurm = made(replace(PROPS, accounting=True, purge_days=days)).properties("AWS::PCS::Cluster")
        accounting = {"Mode": "STANDARD", "DefaultPurgeTimeInDays": written}
        assert slurm["SlurmConfiguration"]["Accounting"] == accounting


def test_machines_run_the_script_before_they_take_jobs() -> None:
    group = made(replace(PROPS, script=SCRIPT)).properties("AWS::PCS::ComputeNodeGroup")
    (stage,) = group["NodeLifecycleActions"]["Stages"]["NodeBootstrapped"]
    assert stage["ScriptSource"] == {"ScriptLocation": SCRIPT.location, "Checksum": SCRIPT.checksum}
    assert (stage["OnError"], stage["Arguments"]) == ("TERMINATE", list(SCRIPT.arguments))


def test_what_must_outlive_a_look_stands_in_the_metadata() -> None:
    _, resource = made(PROPS).named("AWS::PCS::Cluster")
    assert resource["Metadata"] == {
        "ultracluster:capacity": {"cr-a": 1, "cr-b": 2},
        "ultracluster:scripts": ["a/b.sh"],
    }


def test_ids_come_from_keys_and_names_not_from_the_order() -> None:
    other = replace(TRAIN, key="other", name="other-0a1b2c")
    assert made(replace(PROPS, groups=[TRAIN, other])).template == (
        made(replace(PROPS, groups=[other, TRAIN])).template
    )


@pytest.mark.parametrize(
    ("props", "said"),
    [
        (replace(PROPS, groups=[replace(TRAIN, min_count=1)]), "must be 0 or equal to the maximum"),
        (replace(PROPS, groups=[replace(TRAIN, min_count=0, max_count=0)]), "0 to 0 nodes"),
        (replace(PROPS, groups=[TRAIN, replace(TRAIN, key="b")]), "groups .* are not unique"),
        (replace(PROPS, groups=[TRAIN, replace(TRAIN, name="b-0a1b2c")]), "group keys .* are not unique"),
        (replace(PROPS, queues=[*PROPS.queues, *PROPS.queues]), "queues .* are not unique"),
        (replace(PROPS, queues=[PcsQueue(name="gpu", groups=["b"])]), r"\['b'\], which do not exist"),
    ],
)
def test_what_pcs_would_refuse_is_refused(props: PcsClusterProps, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made(props)


METRICS = NodeMetricsAccess(
    file_system_metrics=True,
    secret_arns=["arn:aws:secretsmanager:us-west-2:123456789012:secret:metrics-AbCdEf"],
    archives="my-bucket/metrics",
)


def pcs_role(stack: Stack) -> None:
    """Return the role of PCS nodes with all optional permissions."""
    PcsNodeRole(
        stack,
        "Role",
        PcsNodeRoleProps(
            cluster_name="demo",
            scripts_bucket_name="bucket",
            scripts_prefix="pcs-lifecycle",
            parameter_names=["/demo/b", "/demo/a"],
            directory_bucket_names=["demo--usw2-az1--x-s3"],
            remote_write_workspace_arn="arn:aws:aps:us-west-2:123456789012:workspace/ws-1",
            metrics=METRICS,
        ),
    )


def test_the_role_has_pcss_path_no_name_and_what_its_machines_need() -> None:
    role = synthesize(pcs_role)
    properties = role.properties("AWS::IAM::Role")
    assert (properties["Path"], "RoleName" in properties) == ("/aws-pcs/", False)
    (trust,) = properties["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "ec2.amazonaws.com"}
    assert role.properties("AWS::IAM::InstanceProfile")["Path"] == "/aws-pcs/"
    statements = role.statements()
    assert set(statements) == {
        "DecryptScripts", "DirectoryBuckets", "FileSystemMetrics", "ListScripts", "Logs", "Managed",
        "Metrics", "MetricsArchives", "MetricsSecret", "ReadParameters", "ReadScripts", "Register",
        "RemoteWrite", "Sessions",
    }  # fmt: skip
    everywhere = {sid for sid, statement in statements.items() if statement["Resource"] == "*"}
    assert everywhere == {"FileSystemMetrics", "Managed", "Metrics", "Register", "Sessions"}
    assert statements["MetricsSecret"]["Resource"] == METRICS.secret_arns
    assert "s3:::my-bucket/metrics/*" in str(statements["MetricsArchives"]["Resource"])
    assert lint_findings(role.template) == []
    assert unacknowledged_findings(role.template) == []
