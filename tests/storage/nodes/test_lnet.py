"""Lustre's network over EFA: who configures it, how many interfaces, and how a fall-back to TCP is told."""

from __future__ import annotations

import pytest

from tests.nodes.fixtures import MakeNode
from tests.nodes.node import MAIN, PLAIN, SCRIPTED, Node, bundle, health, interfaces, needs_bash

pytestmark = needs_bash
SERVICE = "configure-efa-fsx-lustre-client.service"
DROP_IN = f"etc/systemd/system/{SERVICE}.d/ultracluster.conf"


def test_hyperpod_03_a_node_whose_traffic_goes_over_efa_is_well(ready: Node) -> None:
    run = ready.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert "LNet has 8 of 8 EFA interfaces" in run.stdout
    assert health(ready) == ("ok", "")
    assert [call.split()[1:3] for call in ready.calls("dd")] == [
        ["if=/dev/zero", "of=/fsx/.ultracluster-check-ip-10-0-0-7"],
        ["if=/fsx/.ultracluster-check-ip-10-0-0-7", "of=/dev/null"],
    ]
    assert all("direct" in call and "bs=1M" in call for call in ready.calls("dd"))
    assert not list((ready.root / "fsx").glob(".ultracluster-check*"))


def test_hyperpod_03_a_fall_back_to_tcp_is_reported_as_node_health(ready: Node) -> None:
    ready.lacks("efa-works")
    ready.has("slurm")
    run = ready.runs()
    assert run.returncode == 0
    reason = "traffic uses TCP, not EFA (8 of 8 interfaces)"
    assert f"warning: file system lustre: {reason}" in run.stdout
    assert health(ready) == ("failed", reason)
    assert (ready.folder / "reason").read_text().strip() == f"ultracluster storage: lustre: {reason}"
    metrics = ready.text("var/lib/node_exporter/textfile_collector/ultracluster_storage.prom")
    assert 'ultracluster_lustre_healthy{file_system="lustre",state="failed"} 0' in metrics
    assert 'ultracluster_lustre_efa_interfaces{kind="wanted"} 8' in metrics


@pytest.mark.long
@pytest.mark.parametrize(
    ("written", "read", "state"),
    [
        (3, 3, "failed"),
        (64, 3, "failed"),
        (3, 64, "failed"),
        (47, 64, "failed"),
        (48, 48, "ok"),
        (900, 64, "ok"),
    ],
    ids=["pings-only", "reads-over-tcp", "writes-over-tcp", "too-few", "some-over-tcp", "another-job"],
)
def test_hyperpod_03_counters_must_rise_by_what_was_written_and_by_what_was_read(
    ready: Node, written: int, read: int, state: str
) -> None:
    ready.has("efa-works", f"{written}\n{read}\n")
    ready.runs()
    assert health(ready)[0] == state


@pytest.mark.parametrize(
    ("machine", "devices", "wanted"),
    [
        ("p5.48xlarge", 32, 8),
        ("p5en.48xlarge", 16, 8),
        ("p6-b200.48xlarge", 8, 8),
        ("p6-b300.48xlarge", 16, 16),
        ("p5.4xlarge", 1, 1),
    ],
)
def test_without_a_service_of_the_image_lnet_gets_its_interfaces_by_hand(
    make: MakeNode, machine: str, devices: int, wanted: int
) -> None:
    node = make(bundle(file_systems=[SCRIPTED], machine=machine), machine)
    node.has_efa(devices)
    node.has("efa-works")
    node.has("parameters//lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters//lustre-mount", "abcdebev")
    node.mounts("/fsx")
    node.runs()
    step = devices // wanted
    assert interfaces(node) == [f"rdmap{79 + i * step}s0" for i in range(wanted)]
    assert node.calls("modprobe") == [
        "modprobe lnet",
        "modprobe kefalnd ipif_name=enp71s0",
        "modprobe ksocklnd",
        "modprobe lustre",
    ]
    added = [call for call in node.calls("lnetctl") if call.startswith("lnetctl net add --net efa")]
    assert all(call.endswith("--peer-credits 32") for call in added)
    assert "lnetctl udsp add --src efa --priority 0" in node.calls("lnetctl")


@pytest.mark.long
def test_lustre_loads_after_its_network(make: MakeNode) -> None:
    # a module that is there before pins few interfaces, and nothing reports it
    node = make(bundle("pcs", [SCRIPTED]))
    node.has_efa(8)
    node.has("parameters//lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters//lustre-mount", "abcdebev")
    node.runs()
    calls = (node.folder / "calls").read_text()
    assert 0 < calls.index("lnetctl net add --net efa") < calls.index("modprobe lustre")
    assert calls.index("modprobe lustre") < calls.index("mount -t lustre")


@pytest.mark.long
def test_modules_that_the_service_loaded_too_early_are_loaded_again(ready: Node) -> None:
    ready.runs()
    calls = [line.split()[0] for line in (ready.folder / "calls").read_text().splitlines()]
    assert ready.calls("umount") == ["umount --all --types lustre"]
    assert calls.index("umount") < calls.index("lustre_rmmod")
    assert ready.calls("mount") == ["mount -t lustre -o relatime,flock 10.0.1.4@tcp:/abcdebev /fsx"]
    assert ready.mounted["/fsx"] == "lustre"


@pytest.mark.long
def test_lustre_in_use_keeps_its_modules_and_says_so(ready: Node) -> None:
    ready.has("busy")
    run = ready.runs()
    assert run.returncode == 0
    assert "LNet may have too few EFA interfaces" in run.stdout
    assert ready.calls("lustre_rmmod") == []
    assert ready.mounted["/fsx"] == "lustre"


@pytest.mark.long
@pytest.mark.parametrize("status", [0, 1])
def test_the_service_of_the_image_is_judged_by_its_interfaces_not_by_its_status(
    ready: Node, status: int
) -> None:
    ready.has("lnet-service", f"8\n{status}\n")
    run = ready.runs()
    assert (run.returncode, "LNet has 8 of 8 EFA interfaces" in run.stdout) == (0, True)
    assert ready.calls("modprobe") == []
    assert "Restart=on-failure" in ready.text(DROP_IN)


@pytest.mark.long
def test_a_service_that_adds_nothing_is_helped_by_hand(ready: Node) -> None:
    ready.has("lnet-service", "0\n1\n")
    ready.runs()
    assert len(interfaces(ready)) == 8
    assert health(ready)[0] == "ok"


@pytest.mark.long
@pytest.mark.parametrize("status", [0, 1])
def test_a_setup_script_of_the_image_may_fail_after_it_has_done_its_work(ready: Node, status: int) -> None:
    ready.lacks("lnet-service")
    setup = ready.file(
        "etc/eks/configure-efa-fsx-lustre-client/setup.sh",
        f'#!/bin/sh\necho "setup $*" >>"$NODE/calls"\nseq 8 >"$NODE/interfaces"\nexit {status}\n',
    )
    setup.chmod(0o755)
    run = ready.runs()
    assert run.returncode == 0
    assert ready.calls("setup") == ["setup"]
    assert health(ready) == ("ok", "")


@pytest.mark.long
def test_fewer_interfaces_than_there_should_be_are_a_slower_node(ready: Node) -> None:
    ready.has("lnet-service", "3\n0\n")
    ready.has("slurm")
    run = ready.runs()
    assert run.returncode == 0
    assert health(ready) == ("degraded", "LNet has 3 of 8 EFA interfaces")
    assert not (ready.folder / "reason").exists()


@pytest.mark.long
@pytest.mark.parametrize(("driver", "service"), [(True, True), (True, False), (False, True)])
def test_gpus_read_directly_where_asked_and_where_the_driver_is_there(
    make: MakeNode, driver: bool, service: bool
) -> None:
    node = make(bundle(gds=True))
    node.has_efa(8)
    node.mounts("/fsx")
    node.has("efa-works")
    if driver:
        node.file("proc/driver/nvidia-fs/stats", "")
    if service:
        node.has("lnet-service", "8\n0\n")
    else:
        setup = node.file(
            "etc/eks/configure-efa-fsx-lustre-client/setup.sh",
            '#!/bin/sh\necho "setup $*" >>"$NODE/calls"\nseq 8 >"$NODE/interfaces"\n',
        )
        setup.chmod(0o755)
    run = node.runs()
    assert run.returncode == 0
    assert ("nvidia-fs driver is not loaded" in run.stdout) is not driver
    if service:
        assert ("--optimized-for-gds" in node.text(DROP_IN)) is driver
    else:
        assert node.calls("setup") == ["setup --optimized-for-gds"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("machine", "devices", "systems"),
    [
        ("p6-b200.48xlarge", 8, [PLAIN]),
        ("p6-b200.48xlarge", 0, [MAIN]),
        ("p4d.24xlarge", 4, [MAIN]),
        ("p6-b200.48xlarge", 8, []),
    ],
    ids=["file-system-without-efa", "node-without-efa", "too-old-for-efa-to-lustre", "no-file-system"],
)
def test_a_node_with_nothing_to_reach_over_efa_leaves_lnet_alone(
    make: MakeNode, machine: str, devices: int, systems: list[object]
) -> None:
    node = make(bundle(file_systems=systems, machine=machine), machine)  # type: ignore[arg-type]
    node.has_efa(devices)
    node.mounts("/fsx")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert [call for call in node.calls("lnetctl") if " add " in call] == []
    assert node.calls("dd") == []
    assert node.mounted["/fsx"] == "lustre"


@pytest.mark.long
def test_a_node_without_the_tools_of_lustre_says_which_package_it_lacks(ready: Node) -> None:
    ready.lacks("bin/lnetctl")
    run = ready.runs()
    assert run.returncode == 0
    assert "lnetctl is not installed" in run.stdout
    assert health(ready)[0] == "failed"


@pytest.mark.long
@pytest.mark.parametrize("there", [True, False])
def test_a_node_of_eks_gets_the_tools_from_its_own_package_source(make: MakeNode, there: bool) -> None:
    node = make(bundle("eks"))
    node.has_efa(8)
    tools = node.bin / "lnetctl"
    tools.rename(node.folder / "package")
    install = 'cp "$NODE/package" "$NODE/bin/lnetctl"' if there else "exit 1"
    (node.bin / "dnf").write_text(f'#!/bin/sh\necho "dnf $*" >>"$NODE/calls"\n{install}\n')
    (node.bin / "dnf").chmod(0o755)
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert node.calls("dnf") == ["dnf install --assumeyes --quiet lustre-client"] * (1 if there else 3)
    assert ("LNet has 8 of 8 EFA interfaces" in run.stdout) is there
    assert ("lnetctl is not installed" in run.stdout) is not there


@pytest.mark.long
def test_a_node_whose_efa_driver_is_not_loaded_has_failed(make: MakeNode) -> None:
    node = make()
    node.mounts("/fsx")
    node.has("slurm")
    node.has_gpus(8)
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    state, reason = health(node)
    assert state == "failed"
    assert reason.startswith("the node has no EFA device, but p6-b200.48xlarge should have 8 for Lustre")
    assert "0 of 8 EFA devices found" in (node.folder / "reason").read_text()
    metrics = node.text("var/lib/node_exporter/textfile_collector/ultracluster_storage.prom")
    assert 'ultracluster_lustre_efa_interfaces{kind="wanted"} 8' in metrics


@pytest.mark.long
@pytest.mark.parametrize(("machine", "devices", "wanted"), [("p6-b200.48xlarge", 4, 8), ("m5.4xlarge", 0, 0)])
def test_what_is_wanted_follows_from_the_type_not_from_the_devices(
    make: MakeNode, machine: str, devices: int, wanted: int
) -> None:
    node = make(bundle(), machine)
    node.has_efa(devices)
    node.has("efa-works")
    node.mounts("/fsx")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert interfaces(node) == [f"rdmap{79 + i}s0" for i in range(devices)]
    expected = ("degraded", f"LNet has {devices} of {wanted} EFA interfaces") if wanted else ("ok", "")
    assert health(node) == expected


@pytest.mark.long
def test_a_reboot_configures_lnet_again(ready: Node) -> None:
    ready.runs()
    ready.reboots()
    run = ready.runs("boot.sh", "lnet")
    assert (run.returncode, run.stderr) == (0, "")
    assert len(interfaces(ready)) == 8


@pytest.mark.long
def test_a_configured_lnet_is_left_alone(ready: Node) -> None:
    ready.runs()
    ready.lacks("calls")
    ready.runs()
    assert ready.calls("umount") == []
    assert f"systemctl restart {SERVICE}" not in ready.calls("systemctl")
    assert len(interfaces(ready)) == 8
