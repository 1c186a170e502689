"""Public failures of clients: kernels and systems that cannot mount, full disks, traffic over TCP."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config.catalog import catalog
from config.catalog.storage.lustre_clients import lustre_clients
from config.design.nodes.clients import SharedLustre, client_fault, client_faults
from config.design.nodes.reach import node_permissions, node_traffic
from config.design.storage.local_disks import plan_local_disks
from config.profile.orchestrator import ORCHESTRATORS
from tests.rules.planting import Check, errors, profile

LUSTRE = SharedLustre(name="lustre", version="2.15", efa=True, mount_path="/fsx")
VERSIONS = ("2.12", "2.15")
ALL = ("2.10", *VERSIONS)


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_15_every_image_has_kernels_of_the_matrix(kind: str) -> None:
    for system in lustre_clients().images[kind]:
        rows = lustre_clients().rows_of(system)
        assert rows
        # each row says which kernels it means: none of them is "whatever the image has"
        assert all(row.series != "any" for row in rows)


@pytest.mark.parametrize(
    ("kernel", "covered"), [("6.8.0-1033", True), ("6.8.0-1034", False), ("6.11.0-1004", False)]
)
def test_storage_15_a_kernel_past_the_client_is_in_no_row(kernel: str, covered: bool) -> None:
    assert any(row.covers(kernel) for row in lustre_clients().rows_of("ubuntu 24.04")) is covered


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_16_no_version_can_be_stated_that_an_image_cannot_mount(kind: str, check: Check) -> None:
    lustre = "storage: {lustre: {kind: new, capacity_gib: 2400, throughput_mbps_per_tib: 125, version: %s}}\n"
    refused = {
        version: "PRO012" in errors(check(profile(kind, more=lustre % f'"{version}"'))) for version in ALL
    }
    assert refused == {"2.10": True, "2.12": False, "2.15": False}
    for version in VERSIONS:
        assert client_faults(kind, [replace(LUSTRE, version=version, efa=False)]) == ()


@pytest.mark.parametrize("system", ["amzn 2023", "ubuntu 24.04"])
def test_storage_16_new_systems_refuse_the_first_version_with_what_they_mount(system: str) -> None:
    fault = client_fault(system, "2.10", efa=False)
    assert fault == f"the Lustre client of {system} mounts 2.12 and 2.15, not 2.10"


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_22_container_data_lies_on_the_volume_of_the_disks(kind: str) -> None:
    disks = plan_local_disks(kind, catalog().instances["p5en.48xlarge"], wanted=True)
    assert disks is not None
    assert disks.container_data
    assert disks.path.startswith(("/opt/dlami/nvme", "/mnt/k8s-disks"))


@pytest.mark.parametrize("version", VERSIONS)
def test_storage_24_bottlerocket_has_no_client_for_any_version(version: str) -> None:
    fault = client_fault("bottlerocket 1.63", version, efa=False)
    assert fault == "bottlerocket 1.63 has no Lustre client in AWS's matrix"


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_storage_24_no_control_plane_runs_bottlerocket(kind: str) -> None:
    assert not [system for system in lustre_clients().images[kind] if system.startswith("bottlerocket")]


@pytest.mark.parametrize("efa", [True, False])
@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_hyperpod_03_roles_may_ask_for_file_systems_that_have_efa(kind: str, efa: bool) -> None:
    found = node_permissions(kind, None, (replace(LUSTRE, efa=efa),))
    asked = [permission for permission in found if "fsx:DescribeFileSystems" in permission.actions]
    assert bool(asked) is (efa and kind.startswith("hyperpod"))
    # the action takes no resource: scoped to file systems it would grant nothing
    assert all(permission.scope == "all" for permission in asked)


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_hyperpod_03_groups_let_every_protocol_through_where_efa_is(kind: str) -> None:
    traffic = {one.peer: one.ports for one in node_traffic(kind, (LUSTRE,), None)}
    assert traffic == {"lustre": (), "nodes": ()}
