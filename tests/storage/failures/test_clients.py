"""Public failures of clients: kernels and systems that cannot mount, full disks, traffic over TCP."""

from __future__ import annotations

import json

import pytest

from config.catalog.storage.lustre_clients import lustre_clients
from config.profile.orchestrator import ORCHESTRATORS
from tests.conftest import SNAPSHOTS
from tests.rules.planting import Check, errors, profile
from tests.storage.kernels import covers, rows_of, versions_of

VERSIONS = ("2.12", "2.15")
ALL = ("2.10", *VERSIONS)


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_15_every_image_has_kernels_of_the_matrix(kind: str) -> None:
    for system in lustre_clients().images[kind]:
        rows = rows_of(system)
        assert rows
        # each row says which kernels it means: none of them is "whatever the image has"
        assert all(row.series != "any" for row in rows)


@pytest.mark.parametrize(
    ("kernel", "covered"), [("6.8.0-1033", True), ("6.8.0-1034", False), ("6.11.0-1004", False)]
)
def test_storage_15_a_kernel_past_the_client_is_in_no_row(kernel: str, covered: bool) -> None:
    assert any(covers(row, kernel) for row in rows_of("ubuntu 24.04")) is covered


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_16_no_version_can_be_stated_that_an_image_cannot_mount(kind: str, check: Check) -> None:
    lustre = "storage: {lustre: {kind: new, capacity_gib: 2400, throughput_mbps_per_tib: 125, version: %s}}\n"
    refused = {
        version: "PRO012" in errors(check(profile(kind, more=lustre % f'"{version}"'))) for version in ALL
    }
    assert refused == {"2.10": True, "2.12": False, "2.15": False}
    for version in VERSIONS:
        assert all(version in versions_of(system) for system in lustre_clients().images[kind])


@pytest.mark.parametrize("system", ["amzn 2023", "ubuntu 24.04"])
def test_storage_16_new_systems_mount_all_but_the_first_version(system: str) -> None:
    assert versions_of(system) == VERSIONS


def test_storage_24_bottlerocket_has_no_client_for_any_version() -> None:
    assert versions_of("bottlerocket 1.63") == ()


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_24_no_control_plane_runs_bottlerocket(kind: str) -> None:
    assert not [system for system in lustre_clients().images[kind] if system.startswith("bottlerocket")]


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_hyperpod_03_nodes_and_file_system_let_every_protocol_through_by_group(kind: str) -> None:
    name = "p6-b200" if kind == "hyperpod-slurm" else f"p6-b200.{kind}"
    template = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    peers = {"SourceSecurityGroupId": "Ingress", "DestinationSecurityGroupId": "Egress"}
    rules = {
        (row["Properties"]["GroupId"]["Fn::GetAtt"][0], direction, row["Properties"][peer]["Fn::GetAtt"][0])
        for row in template["Resources"].values()
        for peer, direction in peers.items()
        if row["Type"] == f"AWS::EC2::SecurityGroup{direction}" and row["Properties"]["IpProtocol"] == "-1"
    }
    nodes, lustre = "NetworkNodes23796194", "StorageLustreSecurityGroupCB5A9599"
    pairs = [(nodes, nodes), (lustre, lustre), (nodes, lustre)]
    assert rules == {(one, direction, other) for one, other in pairs for direction in ("Ingress", "Egress")}
