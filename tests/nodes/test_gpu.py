"""Node checks before and after every job, and the node's state in Slurm."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from config.design.nodes.repair.policy import plan_policy
from config.profile.observability.alerts import Repair, RepairStep
from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import MAIN, SCRIPTED, Node, bundle, gpu_health, needs_bash

pytestmark = needs_bash
JOB = ("boot.sh", "job")


def reason(node: Node) -> str:
    file = node.folder / "reason"
    return file.read_text().strip() if file.exists() else ""


def state(node: Node) -> str:
    file = node.folder / "state"
    return file.read_text().strip() if file.exists() else ""


def test_a_node_that_has_everything_runs_jobs_and_asks_slurm_for_nothing_but_itself(ready: Node) -> None:
    ready.has("slurm")
    ready.runs()
    ready.lacks("calls")
    run = ready.runs(*JOB)
    assert (run.returncode, run.stderr) == (0, "")
    assert gpu_health(ready) == ("ok", "", "")
    assert not [call for call in ready.calls("scontrol") if "update" in call]


Fault = tuple[Callable[[Node], object], tuple[str, str]]
BROKEN: dict[str, Fault] = {
    "a GPU is off the bus": (
        lambda node: node.has_gpus(7),
        ("reboot", "7 of 8 GPU devices found"),
    ),
    "the driver lost a GPU": (
        lambda node: node.has_gpus(8, seen=7),
        ("reboot", "the driver finds 7 of 8 GPUs"),
    ),
    "the driver fails": (
        lambda node: node.has("smi-fails", "6"),
        ("reboot", "nvidia-smi does not answer (status 6)"),
    ),
    "a row cannot be remapped": (
        lambda node: node.has("failure", "5 Yes\n"),
        ("replace", "GPU 5: a memory row could not be remapped"),
    ),
    "a remapped row waits": (
        lambda node: node.has("pending", "2 Yes\n"),
        ("reboot", "GPU 2: a remapped row needs a reset"),
    ),
    "the driver advises": (
        lambda node: node.has("advice", "3 Drain and Reset\n"),
        ("reboot", "GPU 3: the driver recommends: Drain and Reset"),
    ),
    "the fabric is not ready": (
        lambda node: node.has("fabric", "1 In Progress, N/A\n"),
        ("reboot", "GPU 1: the NVLink fabric is in progress, n/a"),
    ),
    "links are down": (
        lambda node: node.has("inactive", "4 7\n4 8\n"),
        ("reboot", "GPU 4: 2 NVLinks are inactive"),
    ),
    "the image has no driver": (
        lambda node: (node.bin / "nvidia-smi").unlink(),
        ("look", "the AMI has no NVIDIA driver: nvidia-smi is missing"),
    ),
    "an EFA port is down": (
        lambda node: node.file("sys/class/infiniband/rdmap80s0/ports/1/state", "1: DOWN\n"),
        ("look", "the port of EFA device rdmap80s0 is not active"),
    ),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("fault", BROKEN)
def test_a_node_that_lacks_something_runs_no_job_and_says_what(ready: Node, fault: str) -> None:
    damage, (action, message) = BROKEN[fault]
    ready.has("slurm")
    damage(ready)
    run = ready.runs(*JOB)
    assert run.returncode == 1
    assert message in run.stdout
    assert gpu_health(ready) == ("failed", action, message)
    assert (state(ready), reason(ready)) == ("drain", f"ultracluster gpu: {message}")


def test_an_efa_device_that_is_missing_is_counted_against_the_type(make: MakeNode) -> None:
    node = prepared(make())
    (node.root / "sys/class/infiniband/rdmap79s0/device/driver").unlink()
    assert node.runs(*JOB).returncode == 1
    assert gpu_health(node) == ("failed", "look", "7 of 8 EFA devices found")


def test_what_only_a_replacement_cures_is_reported_before_what_a_reboot_cures(ready: Node) -> None:
    ready.has("pending", "0 Yes\n")
    ready.has("failure", "6 Yes\n")
    ready.has("inactive", "1 1\n")
    ready.runs(*JOB)
    assert gpu_health(ready)[:2] == ("failed", "replace")
    assert "ultracluster_gpu_problems 3" in ready.text(
        "var/lib/node_exporter/textfile_collector/ultracluster_gpu.prom"
    )


def test_a_driver_that_gives_no_advice_is_no_fault(ready: Node) -> None:
    ready.has("old-driver")
    assert ready.runs(*JOB).returncode == 0


def test_nodes_without_gpus_are_asked_for_none(make: MakeNode) -> None:
    node = make(machine="p6-b200.48xlarge")
    node.file("sys/devices/virtual/dmi/id/product_name", "m5.4xlarge\n")
    node.mounts("/fsx")
    assert node.runs(*JOB).returncode == 0
    assert not node.calls("nvidia-smi")
    assert not (node.root / "var/lib/node_exporter/textfile_collector/ultracluster_gpu.prom").exists()


@pytest.mark.long
def test_slurm_03_a_driver_that_hangs_cannot_hang_the_prolog(ready: Node) -> None:
    library = ready.scripts / "library.sh"
    library.write_text(library.read_text().replace("NVIDIA_SMI_S=20", "NVIDIA_SMI_S=1"))
    ready.has("smi-hangs", "100")
    assert ready.runs(*JOB).returncode == 1
    assert gpu_health(ready)[2] == "nvidia-smi does not answer (status 124)"


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "pcs"])
def test_slurm_09_slurmd_waits_for_gpus_at_every_boot(make: MakeNode, kind: str) -> None:
    node = prepared(make(bundle(kind, [SCRIPTED if kind == "pcs" else MAIN])))
    node.has("parameters/lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters/lustre-mount", "abcdef")
    node.has_gpus(0)
    node.has("on-sleep", f"touch {node.root}/dev/nvidia{{0..7}}\n")
    assert node.runs(ULTRACLUSTER_WAIT_S="30").returncode == 0
    assert node.calls("sleep") == ["sleep 5"]
    unit = node.text("etc/systemd/system/ultracluster-gpus.service").splitlines()
    assert "Before=slurmd.service" in unit
    assert "ExecStart=-/bin/bash /opt/ultracluster/boot.sh gpus" in unit
    assert "systemctl enable ultracluster-gpus.service" in node.calls("systemctl")


def test_slurm_08_gpus_that_come_late_are_waited_for(ready: Node) -> None:
    ready.has_gpus(0)
    script = ready.folder / "on-sleep"
    devices = " ".join(f"{ready.root}/dev/nvidia{i}" for i in range(8))
    script.write_text(f"touch {devices}\n")
    run = ready.runs("boot.sh", "gpus", ULTRACLUSTER_WAIT_S="30")
    assert run.returncode == 0
    assert "warning" not in run.stdout
    assert len(ready.calls("sleep")) == 1


@pytest.mark.long
def test_a_file_system_that_hangs_keeps_jobs_away_at_once(ready: Node) -> None:
    ready.has("slurm")
    ready.runs()
    ready.file("proc/mounts", "")
    assert ready.runs(*JOB).returncode == 1
    assert reason(ready) == "ultracluster storage: lustre: no Lustre file system answers at /fsx"
    ready.mounts("/fsx")
    ready.runs("boot.sh", "health")
    assert reason(ready) == ""


@pytest.mark.long
def test_a_node_that_is_well_again_takes_jobs_again(ready: Node) -> None:
    ready.has("slurm")
    ready.has("pending", "0 Yes\n")
    ready.runs(*JOB)
    assert reason(ready).startswith("ultracluster gpu:")
    ready.lacks("pending")
    assert ready.runs("boot.sh", "health").returncode == 0
    assert reason(ready) == ""


@pytest.mark.long
@pytest.mark.parametrize("taken", ["maintenance", "Action:Replace", "Prolog error"])
def test_a_node_that_somebody_else_took_out_stays_out(ready: Node, taken: str) -> None:
    ready.has("slurm")
    ready.has("reason", taken)
    ready.runs("boot.sh", "health")
    ready.has("pending", "0 Yes\n")
    ready.runs("boot.sh", "health")
    assert reason(ready) == taken


def checks(node: Node, times: int = 3) -> None:
    for _ in range(times):
        node.runs("boot.sh", "health")


@pytest.mark.long
@pytest.mark.parametrize(("fault", "action"), [("pending", "Action:Reboot"), ("failure", "Action:Replace")])
def test_hyperpod_is_reported_in_its_own_words_what_to_do_with_a_node(
    repaired: Node, fault: str, action: str
) -> None:
    repaired.has(fault, "0 Yes\n")
    assert repaired.runs(*JOB).returncode == 1
    checks(repaired, 2)
    assert (state(repaired), reason(repaired)[:16]) == ("drain", "ultracluster gpu")
    checks(repaired, 1)
    assert (state(repaired), reason(repaired)) == ("fail", action)


@pytest.mark.long
@pytest.mark.parametrize("between", ["well", "another fault"])
def test_what_is_not_found_three_times_on_end_takes_no_machine_away(repaired: Node, between: str) -> None:
    repaired.has("smi-fails", "124")
    checks(repaired, 2)
    repaired.lacks("smi-fails")
    if between == "another fault":
        repaired.has("pending", "0 Yes\n")
    checks(repaired, 1)
    repaired.lacks("pending")
    repaired.has("smi-fails", "124")
    checks(repaired, 2)
    assert state(repaired) == "drain"


@pytest.mark.long
def test_a_fabric_that_is_still_coming_up_only_waits(repaired: Node) -> None:
    repaired.has("fabric", "1 In Progress, N/A\n")
    checks(repaired, 2)
    assert state(repaired) == "drain"
    repaired.lacks("fabric")
    checks(repaired, 1)
    assert (state(repaired), reason(repaired)) == ("", "")


@pytest.mark.long
def test_no_prolog_gives_a_machine_up_however_often_it_runs(repaired: Node) -> None:
    repaired.has("failure", "0 Yes\n")
    for _ in range(5):
        repaired.runs(*JOB)
    assert state(repaired) == "drain"


def boots(node: Node, name: str) -> None:
    """Reboot the node, with its Slurm reason removed by the repair."""
    node.file("proc/sys/kernel/random/boot_id", f"{name}\n")
    node.lacks("reason")


def test_a_fault_that_a_reboot_did_not_cure_wants_another_machine(repaired: Node) -> None:
    repaired.has("pending", "0 Yes\n")
    for boot, action in (("one", "Reboot"), ("two", "Replace")):
        boots(repaired, boot)
        checks(repaired)
        assert reason(repaired) == f"Action:{action}"


@pytest.mark.long
def test_another_fault_after_a_reboot_is_rebooted_first(repaired: Node) -> None:
    repaired.has("pending", "0 Yes\n")
    boots(repaired, "one")
    checks(repaired)
    repaired.lacks("pending")
    repaired.has("advice", "3 Reset\n")
    boots(repaired, "two")
    checks(repaired)
    assert reason(repaired) == "Action:Reboot"


@pytest.mark.long
def test_a_fault_of_another_day_is_rebooted_first(repaired: Node) -> None:
    repaired.has("pending", "0 Yes\n")
    boots(repaired, "two")
    message = "GPU 0: a remapped row needs a reset"
    repaired.file("var/lib/ultracluster/reboot-asked", f"{int(time.time()) - 90000} one {message}\n")
    checks(repaired)
    assert reason(repaired) == "Action:Reboot"


@pytest.mark.long
def test_what_was_found_before_a_reboot_says_nothing_of_the_node_now(repaired: Node) -> None:
    boots(repaired, "one")
    repaired.has("pending", "0 Yes\n")
    checks(repaired)
    repaired.lacks("pending")
    boots(repaired, "two")
    repaired.runs("boot.sh", "check")
    assert reason(repaired) == ""


def test_a_node_that_is_well_asks_slurm_nothing_before_a_job(ready: Node) -> None:
    ready.has("slurm")
    assert ready.runs(*JOB).returncode == 0
    assert ready.calls("scontrol") == []


@pytest.mark.long
@pytest.mark.parametrize("fails", [1, 2])
def test_a_slurm_that_does_not_answer_makes_no_node_ill(ready: Node, fails: int) -> None:
    ready.has("slurm")
    ready.has("pending", "0 Yes\n")
    ready.runs(*JOB)
    ready.lacks("pending")
    ready.has("slurm-fails-from", str(fails))
    assert ready.runs(*JOB).returncode == 0


@pytest.mark.long
def test_a_fault_of_the_image_is_no_reason_to_replace_machines(repaired: Node) -> None:
    (repaired.bin / "nvidia-smi").unlink()
    checks(repaired)
    assert (state(repaired), reason(repaired)[:16]) == ("drain", "ultracluster gpu")


def policed(make: MakeNode, wanted: Repair, kind: str = "hyperpod-slurm", ends: str | None = None) -> Node:
    """Return a node whose profile has a repair policy."""
    scripts = bundle(kind, repaired=kind == "hyperpod-slurm", policy=plan_policy(wanted), ends=ends)
    node = prepared(make(scripts))
    node.has("slurm")
    return node


@pytest.mark.long
@pytest.mark.parametrize(
    ("others", "at_once", "reported"), [(0, 1, "fail"), (1, 1, "drain"), (1, 2, "fail"), (2, 3, "drain")]
)
def test_where_others_are_repaired_or_many_are_out_a_node_only_waits(
    make: MakeNode, others: int, at_once: int, reported: str
) -> None:
    node = policed(make, Repair(max_nodes_at_once=at_once))
    out = [f"n{i}=Action:Reboot" for i in range(others)]
    node.has("others", " ".join([*(f"m{i}" for i in range(6)), *out]))
    node.has("failure", "0 Yes\n")
    checks(node)
    assert state(node) == reported


@pytest.mark.long
@pytest.mark.parametrize(("hours", "reported"), [(1, "drain"), (5, "fail")])
def test_nothing_is_repaired_in_the_last_hours_of_a_block(make: MakeNode, hours: int, reported: str) -> None:
    ends = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(time.time() + hours * 3600))
    node = policed(make, Repair(none_in_last_hours=2), ends=ends)
    node.has("failure", "0 Yes\n")
    checks(node)
    assert state(node) == reported


@pytest.mark.long
@pytest.mark.parametrize(
    ("step", "reported"),
    [("reboot", "Action:Reboot"), ("replace", "Action:Replace"), ("report", "ultracluster gpu")],
)
def test_a_profile_says_what_is_done_about_a_fault(make: MakeNode, step: RepairStep, reported: str) -> None:
    node = policed(make, Repair(actions={"row-remap-pending": step}))
    node.has("pending", "0 Yes\n")
    checks(node)
    assert reason(node).startswith(reported)


def test_pcs_reboots_a_node_once_for_a_fault_and_then_only_drains_it(make: MakeNode) -> None:
    node = policed(make, Repair(), "pcs")
    node.has("advice", "3 Reset\n")
    boots(node, "one")
    checks(node)
    (asked,) = [call for call in node.calls("scontrol") if " reboot " in call]
    assert asked == (
        "scontrol reboot asap nextstate=resume reason=ultracluster gpu: GPU 3: the driver recommends: Reset"
        " (rebooted) train-1"
    )
    boots(node, "two")
    checks(node)
    assert len([call for call in node.calls("scontrol") if " reboot " in call]) == 1
    assert (state(node), reason(node)[-19:]) == ("drain", "(needs replacement)")


@pytest.mark.long
@pytest.mark.parametrize("script", ["prolog.sh", "epilog.sh"])
@pytest.mark.parametrize("well", [True, False])
def test_prolog_and_epilog_are_the_check(ready: Node, script: str, well: bool) -> None:
    ready.runs()
    if not well:
        ready.has_gpus(6)
    installed = ready.root / "opt/ultracluster/slurm" / script
    assert installed.stat().st_mode & 0o111
    run = ready.runs(f"slurm/{script}", ULTRACLUSTER_SCRIPTS=str(ready.root / "opt/ultracluster"))
    assert run.returncode == (0 if well else 1)


def test_the_state_is_json_for_whoever_asks(ready: Node) -> None:
    ready.has("advice", '1 Reset "now"\\\n')
    ready.runs(*JOB)
    file: Path = ready.root / "var/lib/ultracluster/health/gpu.json"
    assert json.loads(file.read_text())["check"] == "gpu"
