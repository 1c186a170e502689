"""What a deployment shows of its storage, read back from the cloud that it was deployed to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.rehearsal.clusters import types_of
from scripts.cli.rehearsal.summary import Summary, as_text, file_systems_of, timing_of
from scripts.cli.rehearsal.target import Target
from scripts.cloud.assets import put_assets
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.timeline import report
from scripts.tools.deployment import deploy
from tests.conftest import Synthesized

REGION = "us-west-2"
PROFILE = """
name: mine
region: us-west-2
availability_zone_id: usw2-az1
network: {kind: new, vpc_cidr: 10.0.0.0/16}
storage:
  lustre:
    kind: new
    throughput_mbps_per_tib: 500
    capacity_gib: 9600
    efa: true
    data_repositories: [{path: /out, bucket: new, export: [new]}]
  additional_lustre:
    - kind: new
      name: cold
      storage: intelligent-tiering
      throughput_mbps: 4000
      read_cache: {}
      mount_path: /cold
  home: {kind: new, users: 20}
"""


class _Here(Target):
    """The cloud in this process as a target."""

    local: LocalCloud

    def client(self, service: str, region: str) -> Any:
        return self.local.client(service, region)


_SUMMARY = Summary(
    profile="mine", stack="mine", region=REGION, status="CREATE_COMPLETE", resources=9, clusters=(),
    file_systems=(), directory_buckets=(), workspaces=(), outputs={}, destroy="",
)  # fmt: skip
_SYSTEM: dict[str, Any] = {
    "Type": "AWS::FSx::FileSystem",
    "Properties": {
        "FileSystemType": "LUSTRE",
        "SubnetIds": [{"Ref": "Subnet"}],
        "StorageCapacity": 1200,
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125},
    },
}
_NETWORK = {
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "Subnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"},
    },
}


def _template(gib: int) -> str:
    system = {**_SYSTEM, "Properties": {**_SYSTEM["Properties"], "StorageCapacity": gib}}
    return json.dumps({"Resources": {**_NETWORK, "System": system}})


def test_a_file_system_that_grows_takes_a_time_that_is_not_published() -> None:
    with local_cloud() as local:
        shown = []
        for gib in (1200, 2400):
            assert deploy(local, _template(gib), REGION, "mine").endswith("_COMPLETE")
            reported = report(local.backend(REGION).stack("mine"))
            shown.append(as_text(replace(_SUMMARY, timing=timing_of(reported))))
            shown.append(as_text(replace(_SUMMARY, timing=timing_of(reported, 617.0))))
    made, planned, grown, _ = shown
    assert "estimated duration on AWS: 10 min, from published values" in made
    assert "estimated duration on AWS: 10 min (planned: 10 min), from published values" in planned
    assert "System: 10 min" in made
    assert "not published" not in made
    assert "no duration on AWS is published for: System (update)" in grown
    assert " 3 s" not in grown


@pytest.mark.long
@pytest.mark.synth
def test_every_file_system_of_a_deployment_is_shown_by_its_name(
    tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(PROFILE, encoding="utf-8")
    with local_cloud() as local:
        put_assets(local, REGION, synthesized(str(file)).folder)
        assert deploy(local, synthesized(str(file)).text, REGION, "mine") == "CREATE_COMPLETE"
        here = _Here(local.account, started=False, cloud=None)
        object.__setattr__(here, "local", local)
        there = local.backend(REGION).stack("mine").resources.values()
        ids = [resource.physical_id for resource in there if resource.type == "AWS::FSx::FileSystem"]
        systems = file_systems_of(here, REGION, ids)
    named = {system.name: system for system in systems}
    assert {
        name: (s.kind, s.capacity_gib, s.throughput_mbps_per_tib, s.throughput_mbps, s.efa)
        for name, s in named.items()
    } == {
        "mine": ("Lustre", 9600, 500, None, True),
        "mine-cold": ("Lustre", None, None, 4000, False),
        "mine-home": ("OpenZFS", 2500, None, 160, False),
    }
    assert [link.path for link in named["mine"].associations] == ["/out"]
    outputs = {"DestroyCommand": "ultracluster teardown mine.yaml --aws", "Other": "one"}
    text = as_text(
        replace(
            _SUMMARY,
            file_systems=systems,
            directory_buckets=("mine--usw2-az1--x-s3",),
            outputs=outputs,
            destroy="make destroy PROFILE=mine.yaml",
        )
    )
    assert f"  Lustre file system mine ({named['mine'].id}): AVAILABLE, 9600 GiB, 500 MB/s/TiB, EFA" in text
    assert f"  OpenZFS file system mine-home ({named['mine-home'].id}): AVAILABLE, 2500 GiB, 160 MB/s" in text
    assert "  directory bucket mine--usw2-az1--x-s3" in text
    # one way to remove it is told, that of the place where it is
    assert "    Other = one" in text
    assert "teardown" not in text
    assert text.endswith("  make destroy PROFILE=mine.yaml")


def test_a_group_with_several_types_is_reported_with_all_of_them_in_their_order() -> None:
    assert types_of({"InstanceType": "ml.p5.48xlarge"}) == "ml.p5.48xlarge"
    several = {"InstanceTypes": ["ml.p5en.48xlarge", "ml.p5e.48xlarge"]}
    assert types_of({"InstanceRequirements": several}) == "ml.p5en.48xlarge or ml.p5e.48xlarge"
