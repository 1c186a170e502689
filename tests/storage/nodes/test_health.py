"""How a node says what is wrong with its storage: states, metrics, drains, and which mount it means."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.nodes.fixtures import MakeNode
from tests.nodes.node import DATA, MAIN, Node, bundle, health, interfaces, needs_bash

pytestmark = needs_bash


@pytest.mark.long
def test_a_file_system_that_is_gone_has_no_state(ready: Node) -> None:
    ready.file("var/lib/ultracluster/health/lustre-old.json", "{}")
    ready.runs()
    states = (ready.root / "var/lib/ultracluster/health").glob("lustre-*")
    assert [file.name for file in states] == ["lustre-lustre.json"]


@pytest.mark.long
def test_no_access_to_the_file_system_can_hang_the_check_for_ever(ready: Node) -> None:
    for program in ("dd", "rm", "stat"):
        stand_in = ready.bin / program
        rest = stand_in.read_text() if stand_in.exists() else 'exec /usr/bin/rm "$@"'
        stand_in.write_text(
            f'#!/usr/bin/env bash\necho "by {program} $(cat /proc/$PPID/comm) $*" >>"$NODE/calls"\n{rest}'
        )
        stand_in.chmod(0o755)
    assert ready.runs().returncode == 0
    found = {tuple(call.split()[1:3]) for call in ready.calls("by") if "/fsx" in call}
    assert found == {("dd", "timeout"), ("rm", "timeout"), ("stat", "timeout")}
    unit = ready.text("etc/systemd/system/ultracluster-storage-check.service")
    assert "TimeoutStartSec=30min" in unit.splitlines()


@pytest.mark.long
def test_the_old_state_is_there_until_the_new_one_is(ready: Node) -> None:
    ready.runs()
    dd = ready.bin / "dd"
    text = dd.read_text().replace(
        "\n", '\ncat "$ULTRACLUSTER_ROOT"/var/lib/ultracluster/health/lustre-*.json >"$NODE/seen"\n', 1
    )
    dd.write_text(text)
    ready.lacks("efa-works")
    ready.runs("boot.sh", "check")
    assert json.loads((ready.folder / "seen").read_text())["state"] == "ok"
    assert health(ready)[0] == "failed"


@pytest.mark.long
def test_a_full_file_system_is_no_fall_back_to_tcp(ready: Node) -> None:
    ready.has("no-io")
    ready.has("slurm")
    run = ready.runs()
    assert run.returncode == 0
    assert health(ready) == ("unknown", "neither root nor nobody could write and read 64 MB")
    assert not (ready.folder / "reason").exists()


@pytest.mark.long
@pytest.mark.parametrize("works", [True, False])
@pytest.mark.parametrize("network", ["efa", "tcp"])
def test_what_a_job_moves_on_another_file_system_changes_nothing(
    ready: Node, network: str, works: bool
) -> None:
    ready.has("other-job", f"messages-{network}-6 5000\nmessages 5000\n")
    if not works:
        ready.lacks("efa-works")
    ready.runs()
    assert health(ready)[0] == ("ok" if works else "failed")


@pytest.mark.long
def test_what_a_job_moves_over_efa_on_the_same_file_system_does_not_hide_tcp(ready: Node) -> None:
    ready.lacks("efa-works")
    ready.has("other-job", "messages-efa-5 5000\n")
    ready.runs()
    assert health(ready) == (
        "unknown",
        "received 5000 messages over EFA and 64 over TCP: a job may use the file system",
    )


@pytest.mark.long
def test_a_few_messages_over_tcp_are_no_fall_back(ready: Node) -> None:
    ready.has("other-job", "messages-tcp-5 47\n")
    ready.runs()
    assert health(ready) == ("ok", "")


@pytest.mark.long
@pytest.mark.parametrize("works", [True, False])
def test_where_the_servers_are_unknown_all_efa_interfaces_count(ready: Node, works: bool) -> None:
    ready.has("no-servers")
    if not works:
        ready.lacks("efa-works")
    ready.runs()
    assert health(ready)[0] == ("ok" if works else "failed")


@pytest.mark.long
@pytest.mark.parametrize("works", [True, False])
@pytest.mark.parametrize("place", ["/fsx", "/fsx/.ultracluster-check", "/fsx/checkpoints"])
def test_where_root_is_squashed_nobody_writes_where_nobody_may(ready: Node, place: str, works: bool) -> None:
    (ready.root / place.strip("/")).mkdir(exist_ok=True)
    ready.has("squashed", place)
    if not works:
        ready.lacks("efa-works")
    run = ready.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert health(ready)[0] == ("ok" if works else "failed")
    nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    assert f"{nobody} rm --force {place}/.ultracluster-check-ip-10-0-0-7" in ready.calls("setpriv")
    assert not list((ready.root / place.strip("/")).glob(".ultracluster-check-*"))


@pytest.mark.long
def test_what_nobody_can_tell_is_neither_well_nor_failed(ready: Node) -> None:
    ready.has("squashed", "/nowhere")
    ready.runs()
    assert health(ready)[0] == "unknown"
    metrics = ready.text("var/lib/node_exporter/textfile_collector/ultracluster_storage.prom")
    assert 'ultracluster_lustre_healthy{file_system="lustre",state="unknown"} -1\n' in metrics


@pytest.mark.long
def test_a_node_of_a_cluster_with_thousands_is_drained_too(ready: Node) -> None:
    ready.lacks("efa-works")
    ready.has("slurm")
    ready.has("more-nodes", "".join(f"NodeName=more-{i} State=IDLE {'x' * 1000}\n" for i in range(2000)))
    ready.runs()
    assert "traffic uses TCP" in (ready.folder / "reason").read_text()


def test_a_node_that_is_well_again_takes_jobs_again(ready: Node) -> None:
    ready.lacks("efa-works")
    ready.has("slurm")
    ready.runs()
    ready.has("efa-works")
    run = ready.runs("boot.sh", "check")
    assert run.returncode == 0
    assert not (ready.folder / "reason").exists()
    assert health(ready) == ("ok", "")


@pytest.mark.long
def test_a_drain_for_no_answer_ends_once_the_file_system_answers_though_its_probe_is_unknown(
    ready: Node,
) -> None:
    ready.runs()
    mounts = ready.text("proc/mounts")
    ready.has("slurm")
    ready.file("proc/mounts", "")
    ready.runs("boot.sh", "check")
    reason = (ready.folder / "reason").read_text().strip()
    assert reason == "ultracluster storage: lustre: no Lustre file system answers at /fsx"
    ready.file("proc/mounts", mounts)
    ready.has("no-io")
    ready.runs("boot.sh", "check")
    assert health(ready)[0] == "unknown"
    assert not (ready.folder / "reason").exists()


def test_a_reboot_that_finds_no_file_system_drains_the_node_before_slurm_starts(ready: Node) -> None:
    ready.runs()
    ready.reboots()
    ready.has("slurm")
    unit = ready.text("etc/systemd/system/ultracluster-mounts.service")
    assert "Before=slurmd.service" in unit.splitlines()
    for step in re.findall("^ExecStart=-/bin/bash /opt/ultracluster/boot.sh (.*)$", unit, re.MULTILINE):
        ready.runs("boot.sh", step)
    assert "no Lustre file system answers at /fsx" in (ready.folder / "reason").read_text()


@pytest.mark.long
def test_a_drain_for_tcp_stays_while_the_probe_is_unknown(ready: Node) -> None:
    # the first drain was for no answer: its reason follows what is wrong
    ready.runs()
    mounts = ready.text("proc/mounts")
    ready.has("slurm")
    ready.file("proc/mounts", "")
    ready.runs("boot.sh", "check")
    ready.file("proc/mounts", mounts)
    ready.lacks("efa-works")
    ready.runs("boot.sh", "check")
    assert "traffic uses TCP" in (ready.folder / "reason").read_text()
    ready.has("no-io")
    ready.runs("boot.sh", "check")
    assert "traffic uses TCP" in (ready.folder / "reason").read_text()


@pytest.mark.long
def test_a_node_that_somebody_else_drained_stays_as_it_is(ready: Node) -> None:
    ready.has("slurm")
    ready.has("reason", "memory is being replaced")
    for works in (False, True):
        (ready.has if works else ready.lacks)("efa-works")
        ready.runs()
        assert (ready.folder / "reason").read_text() == "memory is being replaced"


def test_no_storage_fault_makes_hyperpod_replace_the_node(repaired: Node) -> None:
    # auto-resume reboots or replaces a node whose reason is Action:Reboot or Action:Replace
    repaired.runs()
    repaired.file("proc/mounts", "")
    repaired.runs("boot.sh", "job")
    assert (repaired.folder / "state").read_text() == "drain\n"
    assert (repaired.folder / "reason").read_text().startswith("ultracluster storage: ")


@pytest.mark.long
def test_the_check_can_be_run_by_hand_and_says_by_its_status_what_it_found(ready: Node) -> None:
    ready.runs()
    program = ready.root / "usr" / "local" / "sbin" / "ultracluster-storage-check"
    assert program.stat().st_mode & 0o111
    assert program.read_text().splitlines()[-1] == "exec /bin/bash /opt/ultracluster/boot.sh check"
    assert ready.runs("boot.sh", "check").returncode == 0
    ready.lacks("efa-works")
    assert ready.runs("boot.sh", "check").returncode == 1
    ready.file("proc/mounts", "")
    run = ready.runs("boot.sh", "check")
    assert (run.returncode, health(ready)) == (1, ("failed", "no Lustre file system answers at /fsx"))


def test_each_file_system_is_checked_for_itself(make: MakeNode) -> None:
    node = make(bundle(file_systems=[MAIN, DATA]))
    node.has_efa(8)
    node.has("efa-works")
    node.mounts("/fsx")
    node.mounts("/data")
    node.has("parameters//data-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters//data-mount", "abcdebev")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert (health(node), health(node, "data")) == (("ok", ""), ("ok", ""))


@pytest.mark.long
def test_a_mount_of_a_pod_is_checked_where_the_driver_put_it(make: MakeNode) -> None:
    node = make(bundle("eks"))
    node.has_efa(8)
    node.runs()
    assert len(interfaces(node)) == 8
    assert node.runs("boot.sh", "check").returncode == 0
    assert not (node.root / "var/lib/ultracluster/health/lustre-lustre.json").exists()
    node.mounts(volume_of("storage-lustre"))
    assert node.runs("boot.sh", "check").returncode == 1
    assert health(node)[1].startswith("traffic uses TCP")


def volume_of(name: str) -> str:
    """Where the kubelet has drivers mount the volume of that name."""
    return f"/var/lib/kubelet/pods/1/volumes/kubernetes.io~csi/{name}/mount"


@pytest.mark.long
@pytest.mark.parametrize("volumes", [("ml-data", "ml-lustre"), ("ml-lustre", "ml-data")])
def test_a_mount_of_a_pod_is_checked_as_the_file_system_that_its_volume_names(
    make: MakeNode, volumes: tuple[str, str]
) -> None:
    node = make(bundle("eks", [MAIN, replace(DATA, name="data"), replace(DATA, name="more-data")]))
    node.has_efa(8)
    node.has("efa-works")
    node.runs()
    for volume in volumes:
        node.mounts(volume_of(volume))
    node.runs("boot.sh", "check")
    written = [call.split()[2] for call in node.calls("dd") if "if=/dev/zero" in call]
    assert [word.split("/")[-3] for word in written] == ["ml-lustre", "ml-data"]
    states = node.root / "var/lib/ultracluster/health"
    assert {file.name for file in states.iterdir()} == {"lustre-lustre.json", "lustre-data.json"}


@pytest.mark.long
def test_the_longest_name_says_whose_volume_it_is(make: MakeNode) -> None:
    node = make(bundle("eks", [DATA, replace(DATA, name="more-data")]))
    node.has_efa(8)
    node.has("efa-works")
    node.runs()
    node.mounts(volume_of("ml-more-data"))
    node.runs("boot.sh", "check")
    states = node.root / "var/lib/ultracluster/health"
    assert {file.name for file in states.iterdir()} == {"lustre-more-data.json"}


@pytest.mark.long
@pytest.mark.parametrize("path", [volume_of("somebody-elses"), "/mnt/other", volume_of("lustre")])
def test_lustre_of_a_pod_that_names_none_of_ours_is_unknown(make: MakeNode, path: str) -> None:
    node = make(bundle("eks"))
    node.has_efa(8)
    node.runs()
    node.mounts(path)
    assert node.runs("boot.sh", "check").returncode == 0
    assert health(node)[0] == "unknown"
    assert node.calls("dd") == []


def test_metrics_are_in_the_form_that_prometheus_reads(ready: Node) -> None:
    ready.runs()
    lines = ready.text("var/lib/node_exporter/textfile_collector/ultracluster_storage.prom").splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert samples[0] == 'ultracluster_lustre_healthy{file_system="lustre",state="ok"} 1'
    assert all(len(sample.split(" ")) == 2 and float(sample.split(" ")[1]) >= 0 for sample in samples)
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert {sample.split("{")[0].split(" ")[0] for sample in samples} == typed


@pytest.mark.long
def test_probes_write_nowhere_else(ready: Node) -> None:
    ready.runs()
    written = [word for call in ready.calls("dd") for word in call.split() if word.startswith("of=")]
    assert {Path(word.removeprefix("of=")).parent for word in written} == {Path("/fsx"), Path("/dev")}
