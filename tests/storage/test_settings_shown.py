"""What `plan` tells of the settings of storage, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.plan.command import show_plan

SETTINGS = """\
extends: p6-b200
name: mine
storage:
  lustre: {root_squash: {uid: 65534, gid: 65533, except_clients: [10.0.1.6@tcp]}}
  additional_lustre:
    - {kind: new, name: cold, mount_path: /cold, storage: intelligent-tiering, throughput_mbps: 4000,
       read_cache: {sizing: user-provisioned, size_gib: 320}}
    - {kind: new, name: kept, mount_path: /kept, capacity_gib: 1200, throughput_mbps_per_tib: 125,
       backups: {retention_days: 14, daily_start: "02:30"}}
  home: {kind: new, users: 20}
"""
EXISTING = """\
extends: p5-dev
name: mine
network:
  kind: existing
  vpc_id: vpc-0123456789abcdef0
  vpc_cidr: 10.0.0.0/16
  subnets: [{id: subnet-0123456789abcdef0, cidr: 10.0.0.0/17, availability_zone_id: use2-az3}]
storage:
  additional_lustre:
    - {name: theirs, kind: existing, file_system_id: fs-0123456789abcdef1, mount_name: aaaaaaaa,
       mount_path: /one, security_group_id: sg-0123456789abcdef0,
       capacity_gib: 1200, throughput_mbps_per_tib: 125}
  home: {kind: existing, file_system_id: fs-0123456789abcdef3, security_group_id: sg-0123456789abcdef0}
"""


class Shown:
    """A profile as `plan` shows it."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], text: str, under: str | None
    ) -> None:
        self._profile, self._capsys, self._under = folder / "mine.yaml", capsys, under
        self._profile.write_text(text, encoding="utf-8")

    def text(self) -> list[str]:
        show_plan(str(self._profile), orchestrator=self._under, form="text")
        return [" ".join(reported.split()) for reported in self._capsys.readouterr().out.splitlines()]

    def storage(self) -> dict[str, Any]:
        show_plan(str(self._profile), orchestrator=self._under, form="json")
        storage: dict[str, Any] = json.loads(self._capsys.readouterr().out)["plan"]["storage"]
        return storage


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_settings_of_file_systems_have_a_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = Shown(tmp_path, capsys, SETTINGS, None)
    assert {
        "root squash the root user of a client has UID 65534 and GID 65533, except from 10.0.1.6@tcp",
        "read cache 320 GiB of SSD",
        "backups daily at 02:30 UTC, retained for 14 days",
        "backups daily at 05:00 UTC, retained for 7 days",
    } <= set(shown.text())
    storage = shown.storage()
    systems = {system["name"]: system for system in storage["file_systems"]}
    squash = {"uid": 65534, "gid": 65533, "except_clients": ["10.0.1.6@tcp"]}
    assert systems["lustre"]["root_squash"] == squash
    assert systems["cold"]["read_cache"] == {"sizing": "user-provisioned", "size_gib": 320}
    assert systems["kept"]["backups"] == {"daily_start": "02:30", "retention_days": 14}
    assert storage["home"]["backups"]["retention_days"] == 7
    assert systems["lustre"]["existing"] is systems["lustre"]["backups"] is None


@pytest.mark.parametrize(
    ("cache", "reported"),
    [
        ("{}", "read cache SSD, sized in proportion to the throughput"),
        ("{sizing: none}", "read cache not configured"),
    ],
)
def test_a_read_cache_without_a_size_is_reported_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cache: str, reported: str
) -> None:
    text = SETTINGS.replace("{sizing: user-provisioned, size_gib: 320}", cache)
    assert reported in Shown(tmp_path, capsys, text, None).text()


def test_file_systems_that_exist_are_reported_by_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = Shown(tmp_path, capsys, EXISTING, "hyperpod-slurm")
    text = shown.text()
    assert "existing fs-0123456789abcdef1, mount name aaaaaaaa, security group sg-0123456789abcdef0" in text
    ids = "fs-0123456789abcdef3, security group sg-0123456789abcdef0"
    assert f"home /home, on an existing OpenZFS file system: {ids}" in text
    storage = shown.storage()
    assert storage["home"]["existing"]["file_system_id"] == "fs-0123456789abcdef3"
    assert storage["home"]["existing"]["mount_name"] is None


def test_buckets_that_pods_see_as_files_have_a_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = "{name: out, bucket: my-out, read_only: false, cache_gib: 2000}"
    volumes = f"[{{name: datasets, bucket: my-data, prefix: raw/}}, {written}]"
    text = f"extends: p6-b200\nname: mine\nstorage: {{mountpoints: {volumes}}}\n"
    shown = Shown(tmp_path, capsys, text, "eks")
    assert {
        "S3 volume datasets: s3://my-data/raw, read-only, without a cache",
        "S3 volume out: s3://my-out, read-write, 2,000 GiB cache on each node",
    } <= set(shown.text())
    assert [(one["name"], one["bucket"]) for one in shown.storage()["mountpoints"]] == [
        ("datasets", "my-data"),
        ("out", "my-out"),
    ]
