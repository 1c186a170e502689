"""Properties of all templates with AWS PCS."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from cfnlint.api import lint  # type: ignore[import-untyped]  # has no types
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]  # has no types

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from scripts.cloud.validation import problems
from tests.conftest import Synthesized
from tests.stack.library.nag import unacknowledged_findings

pytestmark = pytest.mark.synth
Tried = Callable[[str, str | None], Synthesized]
CLUSTER, GROUP, QUEUE = "AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"

REFUSED = {
    "p5e": "CAP002",  # from a training plan, which is only for SageMaker
    "p6-b200-cluster": "CAP002",
    "p6-b200-data": "PRO022",  # has no nodes
    "p6e-gb200": "ORC027",  # is in a Local Zone
}
EXPRESSED = [name for name in built_in_names() if name not in REFUSED]
# one with EFA
QUICK = ("p6-b200",)
every_profile = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in EXPRESSED]
)


@pytest.mark.parametrize("name", built_in_names())
def test_a_built_in_profile_is_expressed_or_a_rule_says_why_not(name: str) -> None:
    cluster = load_cluster(name, orchestrator="pcs")
    stops = {diagnostic.code for diagnostic in cluster.diagnostics if diagnostic.stops}
    assert (cluster.design is None) == (name in REFUSED)
    assert stops == set() if name in EXPRESSED else REFUSED[name] in stops


@pytest.mark.long
@every_profile
def test_the_template_lints_clean(name: str, tried: Tried) -> None:
    design = load_cluster(name, orchestrator="pcs").design
    assert design is not None
    settings = ManualArgs(regions=[design.profile.region], mandatory_checks=["I3011"])
    assert [f"{m.rule.id}: {m.message}" for m in lint(tried(name, "pcs").text, config=settings)] == []


@every_profile
def test_the_template_has_no_unacknowledged_finding(name: str, tried: Tried) -> None:
    assert unacknowledged_findings(tried(name, "pcs").template) == []


@every_profile
def test_nodes_are_launched_as_pcs_asks(name: str, tried: Tried) -> None:
    made = tried(name, "pcs")
    assert {
        group["Properties"]["IamInstanceProfileArn"]["Fn::GetAtt"][0] for group in groups_of(made)
    } == set(made.resources("AWS::IAM::InstanceProfile"))
    role = made.resources("AWS::IAM::Role")
    (nodes,) = [r["Properties"] for key, r in role.items() if "NodeRole" in key]
    assert (nodes["Path"], "RoleName" in nodes) == ("/aws-pcs/", False)
    for group in groups_of(made):
        properties = group["Properties"]
        template = made.template["Resources"][properties["CustomLaunchTemplate"]["TemplateId"]["Ref"]]
        data = template["Properties"]["LaunchTemplateData"]
        assert data["MetadataOptions"]["HttpPutResponseHopLimit"] == 4
        assert data["MetadataOptions"]["HttpTokens"] == "required"
        assert not {"SecurityGroupIds", "ImageId", "UserData"} & data.keys()
        (volume,) = data["BlockDeviceMappings"]
        assert (volume["DeviceName"], volume["Ebs"]["VolumeSize"]) == ("/dev/sda1", 300)
        assert properties["CustomLaunchTemplate"]["Version"] == {
            "Fn::GetAtt": [properties["CustomLaunchTemplate"]["TemplateId"]["Ref"], "LatestVersionNumber"]
        }


def groups_of(made: Synthesized) -> list[dict[str, Any]]:
    return list(made.resources(GROUP).values())


@every_profile
def test_names_are_those_that_pcs_takes(name: str, tried: Tried) -> None:
    made = tried(name, "pcs")
    named = {
        kind: [r["Properties"]["Name"] for r in made.resources(kind).values()]
        for kind in (CLUSTER, GROUP, QUEUE)
    }
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{2,39}", name) for name in named[CLUSTER])
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{2,24}", name) for name in named[GROUP] + named[QUEUE])
    assert named[QUEUE] == ["train"]


FULL = """\
extends: p6-b200
name: full
orchestrator:
  kind: pcs
  slurm_version: "26.05"
  size: medium
  efa_interface: efa-only
  idle_seconds: 900
  accounting: {purge_days: 365}
  rest_api: true
  settings: {PreemptType: preempt/partition_prio, PreemptMode: REQUEUE, MinJobAge: 60, Epilog: null}
  accounting_settings: {PrivateData: jobs}
  cgroup_settings: {ConstrainRAMSpace: "yes"}
  queues:
    - {name: gpu, groups: [block, flex], settings: {MaxTime: 7-00:00:00, Default: "YES"}}
    - {name: cheap, groups: [taken-back-now-and-then]}
compute:
  groups:
    - {name: login, role: login, instance_type: m5.4xlarge, count: 2}
    - name: block
      role: compute
      instance_type: p6-b200.48xlarge
      count: 8
      capacity: {kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718, instances: 8}
      ami_id: ami-0123456789abcdef0
      root_device: /dev/xvda
      root_volume_gib: 500
    - name: flex
      role: compute
      instance_type: p6-b200.48xlarge
      count: 4
      scaling: dynamic
      idle_seconds: 300
      capacity: {kind: odcr, match: open}
      slurm_settings: {Weight: 10}
    - name: taken-back-now-and-then
      role: compute
      instance_type: g6.xlarge
      count: 8
      capacity: {kind: spot}
"""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, tried: Tried) -> Synthesized:
    file = tmp_path_factory.mktemp("full") / "full.yaml"
    file.write_text(FULL, encoding="utf-8")
    return tried(str(file), None)


def test_every_key_of_the_cluster_reaches_it(full: Synthesized) -> None:
    cluster = full.only(CLUSTER)
    assert (cluster["Size"], cluster["Scheduler"]) == ("MEDIUM", {"Type": "SLURM", "Version": "26.05"})
    slurm = cluster["SlurmConfiguration"]
    assert slurm["ScaleDownIdleTimeInSeconds"] == 900
    assert slurm["Accounting"] == {"Mode": "STANDARD", "DefaultPurgeTimeInDays": 365}
    assert slurm["SlurmRest"] == {"Mode": "STANDARD"}
    assert listed(slurm["SlurmdbdCustomSettings"]) == {"PrivateData": "jobs"}
    assert listed(slurm["CgroupCustomSettings"]) == {"ConstrainRAMSpace": "yes"}
    # ultracluster's settings, with those of the profile merged over them
    assert listed(slurm["SlurmCustomSettings"]) == {
        "CommunicationParameters": "enable_http",
        "MetricsType": "metrics/openmetrics",
        "MinJobAge": "60",
        "PreemptMode": "REQUEUE",
        "PreemptType": "preempt/partition_prio",
        "Prolog": "/opt/ultracluster/slurm/prolog.sh",
        "PrologFlags": "Alloc",
        "SchedulerParameters": "nohold_on_prolog_fail",
    }


def listed(settings: list[dict[str, str]]) -> dict[str, str]:
    return {setting["ParameterName"]: setting["ParameterValue"] for setting in settings}


def test_every_key_of_a_group_reaches_it(full: Synthesized) -> None:
    block, flex, login, spot = (
        full.resources(GROUP)[key]["Properties"] for key in sorted(full.resources(GROUP))
    )
    assert [g["PurchaseOption"] for g in (block, flex, login, spot)] == [
        "CAPACITY_BLOCK", "ONDEMAND", "ONDEMAND", "SPOT",
    ]  # fmt: skip
    assert [tuple(g["ScalingConfiguration"].values()) for g in (block, flex, login)] == [
        (8, 8),
        (0, 4),
        (2, 2),
    ]
    assert block["AmiId"] == "ami-0123456789abcdef0"
    assert flex["AmiId"].startswith("{{resolve:ssm:/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/")
    assert flex["SlurmConfiguration"]["ScaleDownIdleTimeInSeconds"] == 300
    assert listed(flex["SlurmConfiguration"]["SlurmCustomSettings"]) == {"Weight": "10"}
    assert "SlurmConfiguration" not in block  # PCS rejects an empty list of settings
    assert [("SpotOptions" in g) for g in (block, flex, login, spot)] == [False, False, False, True]
    data = full.resources("AWS::EC2::LaunchTemplate")
    (launched,) = [d["Properties"]["LaunchTemplateData"] for key, d in data.items() if "block" in key]
    assert launched["BlockDeviceMappings"][0]["DeviceName"] == "/dev/xvda"
    assert launched["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] == 500
    assert launched["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    assert launched["InstanceType"] == "p6-b200.48xlarge"


def test_queues_have_their_groups_and_the_login_group_has_none(full: Synthesized) -> None:
    queues = {q["Properties"]["Name"]: q["Properties"] for q in full.resources(QUEUE).values()}
    used = {
        name: [c["ComputeNodeGroupId"]["Fn::GetAtt"][0] for c in queue["ComputeNodeGroupConfigurations"]]
        for name, queue in queues.items()
    }
    groups = {r["Properties"]["Name"].rpartition("-")[0]: key for key, r in full.resources(GROUP).items()}
    assert used == {"gpu": [groups["block"], groups["flex"]], "cheap": [groups["taken-back-now-and"]]}
    assert listed(queues["gpu"]["SlurmConfiguration"]["SlurmCustomSettings"]) == {
        "Default": "YES", "MaxTime": "7-00:00:00",
    }  # fmt: skip


def test_all_of_it_is_what_pcs_takes(full: Synthesized) -> None:
    lines = [f"{m.rule.id}: {m.message}" for m in lint(full.text, config=ManualArgs(regions=["us-west-2"]))]
    assert lines == []
    for kind in (CLUSTER, GROUP, QUEUE):
        for key, resource in full.resources(kind).items():
            assert list(problems("us-west-2", kind, resource["Properties"], {})) == [], key


def test_nodes_come_after_all_that_they_mount_and_the_controller_does_not(full: Synthesized) -> None:
    resources = full.template["Resources"]
    links = {
        key for key, value in resources.items() if value["Type"] == "AWS::FSx::DataRepositoryAssociation"
    }
    parameters = {
        key
        for key, value in resources.items()
        if value["Type"] == "AWS::SSM::Parameter"
        and value["Properties"]["Description"].startswith("File system name")
    }
    (cluster,) = full.resources(CLUSTER).values()
    assert not {*links, *parameters} & set(cluster["DependsOn"])
    assert links
    assert parameters
    for group in full.resources(GROUP).values():
        assert parameters <= set(group["DependsOn"])
