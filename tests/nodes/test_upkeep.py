"""Maintenance of nodes: log rotation, Slurm plugins, prolog and epilog."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import SCRIPTED, Node, bundle, needs_bash
from tests.programs import lacks

pytestmark = needs_bash
CONF = "opt/slurm/etc/slurm.conf"
GIVEN = "ClusterName=hyperpod\nSchedulerParameters=bf_continue,defer # ours\nPartitionName=dev Nodes=ALL\n"


@pytest.fixture
def controller(ready: Node) -> Node:
    """Return HyperPod's controller with the slurm.conf of the service."""
    ready.has("controller")
    ready.has("slurm")
    ready.file(CONF, GIVEN)
    return ready


def test_the_controller_runs_prolog_and_epilog_and_holds_no_job_whose_prolog_failed(controller: Node) -> None:
    assert controller.runs().returncode == 0
    assert controller.text(CONF).splitlines() == [
        "ClusterName=hyperpod",
        "SchedulerParameters=bf_continue,defer,nohold_on_prolog_fail # ours",
        "PartitionName=dev Nodes=ALL",
        "Prolog=/opt/ultracluster/slurm/prolog.sh",
        "Epilog=/opt/ultracluster/slurm/epilog.sh",
    ]
    assert controller.calls("scontrol").count("scontrol reconfigure") == 1


def test_what_the_service_writes_anew_is_completed_anew_and_only_then(controller: Node) -> None:
    controller.runs()
    wanted = controller.text(CONF)
    controller.lacks("calls")
    controller.runs("boot.sh", "health")
    assert "scontrol reconfigure" not in controller.calls("scontrol")
    controller.file(CONF, "ClusterName=hyperpod\n")
    controller.runs("boot.sh", "health")
    assert controller.text(CONF).splitlines()[1:] == [
        "SchedulerParameters=nohold_on_prolog_fail",
        "Prolog=/opt/ultracluster/slurm/prolog.sh",
        "Epilog=/opt/ultracluster/slurm/epilog.sh",
    ]
    assert controller.calls("scontrol").count("scontrol reconfigure") == 1
    assert "Prolog=" in wanted


@pytest.mark.long
def test_a_prolog_of_somebody_else_stays(controller: Node) -> None:
    controller.file(CONF, GIVEN + "prolog = /fsx/mine.sh\n")
    run = controller.runs()
    assert "slurm.conf has Prolog=/fsx/mine.sh" in run.stderr + run.stdout
    assert "Prolog=/opt" not in controller.text(CONF)
    assert "Epilog=/opt/ultracluster/slurm/epilog.sh" in controller.text(CONF)


@pytest.mark.long
def test_only_the_controller_writes_slurm_conf(ready: Node) -> None:
    ready.file(CONF, GIVEN)
    ready.runs()
    assert ready.text(CONF) == GIVEN


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    ['SchedulerParameters="defer, bf_x"', "SchedulerParameters=defer,", "SchedulerParameters=defer,\\"],
)
def test_a_line_that_is_no_plain_list_stays_as_it_is(controller: Node, line: str) -> None:
    controller.file(CONF, f"{line}\nClusterName=hyperpod\n")
    run = controller.runs()
    assert "is not a plain list" in run.stdout + run.stderr
    assert controller.text(CONF).splitlines()[:2] == [line, "ClusterName=hyperpod"]
    assert "nohold" not in controller.text(CONF)


def test_slurm_conf_keeps_its_place_and_mode(controller: Node) -> None:
    real = controller.file("fsx/slurm.conf", GIVEN)
    real.chmod(0o600)
    link = controller.root / CONF
    link.unlink()
    link.symlink_to(real)
    controller.runs()
    assert link.is_symlink()
    assert (real.stat().st_mode & 0o777, "Prolog=" in real.read_text()) == (0o600, True)


@pytest.mark.long
def test_settings_that_slurmctld_did_not_take_are_offered_again(controller: Node) -> None:
    controller.has("reconfigure-fails")
    controller.runs()
    controller.lacks("reconfigure-fails")
    controller.lacks("calls")
    for _ in range(2):
        controller.runs("boot.sh", "health")
    assert controller.calls("scontrol").count("scontrol reconfigure") == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("plugin", "folder"),
    [
        ("opt/slurm/lib/slurm/spank_pyxis.so", "opt/slurm/etc"),
        ("usr/local/lib/slurm/spank_pyxis.so", "opt/slurm/etc"),
        ("opt/aws/pcs/scheduler/slurm-25.11/lib/slurm/spank_pyxis.so", "etc/aws/pcs/scheduler/slurm-25.11"),
    ],
)
def test_hyperpod_11_slurm_loads_pyxis_and_reads_its_plugins_anew(
    make: MakeNode, plugin: str, folder: str
) -> None:
    kind = "pcs" if "pcs" in folder else "hyperpod-slurm"
    node = prepared(make(bundle(kind, [SCRIPTED])))
    node.has("parameters/lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters/lustre-mount", "abcdef")
    node.file(plugin, "")
    (node.root / folder).mkdir(parents=True, exist_ok=True)
    node.has("bin/enroot", "#!/bin/sh\n")
    (node.bin / "enroot").chmod(0o755)
    for _ in range(2):
        assert node.runs().returncode == 0
    assert node.text(f"{folder}/plugstack.conf.d/pyxis.conf") == f"required /{plugin}\n"
    assert node.text(f"{folder}/plugstack.conf") == f"include /{folder}/plugstack.conf.d/*\n"
    assert node.calls("systemctl").count("systemctl try-restart slurmd.service") == 1


@pytest.mark.long
def test_an_image_that_loads_pyxis_itself_is_left_alone(ready: Node) -> None:
    ready.file("usr/local/lib/slurm/spank_pyxis.so", "")
    ready.file("opt/slurm/etc/plugstack.conf", "optional /usr/local/lib/slurm/spank_pyxis.so\n")
    ready.has("bin/enroot", "#!/bin/sh\n")
    (ready.bin / "enroot").chmod(0o755)
    ready.runs()
    assert ready.text("opt/slurm/etc/plugstack.conf") == "optional /usr/local/lib/slurm/spank_pyxis.so\n"
    assert not (ready.root / "opt/slurm/etc/plugstack.conf.d").exists()


@pytest.mark.long
def test_logs_are_rotated_and_daemons_open_theirs_again(ready: Node, tmp_path: Path) -> None:
    (ready.root / "etc/logrotate.d").mkdir(parents=True)
    ready.runs()
    text = ready.text("etc/logrotate.d/ultracluster")
    assert "/var/log/slurm/slurmctld.log {" in text
    assert "pkill --exact --signal USR2 slurmctld || true" in text
    logrotate = shutil.which("logrotate") or "/usr/sbin/logrotate"
    if not Path(logrotate).exists():
        lacks("needs logrotate")
    file = tmp_path / "rotation"
    file.write_text(text)
    run = subprocess.run(
        [logrotate, "--debug", "--state", str(tmp_path / "state"), str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "error" not in run.stderr


@pytest.mark.long
def test_a_log_that_somebody_rotates_already_is_left_to_him(ready: Node) -> None:
    ready.file("etc/logrotate.d/slurm", "/var/log/slurm/*.log {\n  weekly\n}\n")
    ready.runs()
    text = ready.text("etc/logrotate.d/ultracluster")
    assert "/var/log/slurm/" not in text
    assert "/var/log/slurmd.log {" in text
