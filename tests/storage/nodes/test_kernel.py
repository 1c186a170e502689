"""The kernel beside AWS's matrix of Lustre clients, on the node and in the catalogue."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from tests.nodes.fixtures import MakeNode
from tests.nodes.node import PLAIN, Node, bundle, needs_bash
from tests.storage.kernels import covers, rows_of

# as AWS's matrix has it: system, kernel, file system versions that can be mounted
KERNELS = [
    ("amzn", "2023", "6.18.3-10.100.amzn2023.x86_64", "2.12,2.15"),
    ("amzn", "2023", "6.12.1-1.amzn2023.x86_64", "2.12,2.15"),
    ("amzn", "2023", "6.1.79-99.167.amzn2023.x86_64", "2.12,2.15"),
    ("amzn", "2023", "6.1.79-99.164.amzn2023.x86_64", ""),
    ("amzn", "2", "5.10.144-127.601.amzn2.x86_64", "2.10,2.12,2.15"),
    ("amzn", "2", "5.10.50-44.131.amzn2.x86_64", "2.10,2.12"),
    ("ubuntu", "24.04", "6.17.0-1007-aws", "2.12,2.15"),
    ("ubuntu", "24.04", "6.17.0-1006-aws", ""),
    ("ubuntu", "24.04", "6.14.0-1018-aws", "2.12,2.15"),
    ("ubuntu", "24.04", "6.14.0-1019-aws", ""),
    ("ubuntu", "24.04", "6.8.0-1033-aws", "2.12,2.15"),
    ("ubuntu", "24.04", "6.8.0-1034-aws", ""),
    ("ubuntu", "22.04", "6.8.0-1034-aws", "2.12,2.15"),
    ("ubuntu", "22.04", "5.15.0-1015-aws", "2.10,2.12,2.15"),
    ("ubuntu", "22.04", "5.15.0-1052-aws", ""),
    ("ubuntu", "22.04", "6.8.0-999-aws", ""),
    ("rhel", "9.5", "5.14.0-503.14.1.el9_5.x86_64", "2.12,2.15"),
    ("rocky", "10.0", "6.12.0-55.9.1.el10_0.x86_64", "2.15"),
    ("debian", "12", "6.1.0-28-cloud-amd64", ""),
]


@pytest.mark.sample(5)
@needs_bash
@pytest.mark.parametrize(("system", "version", "kernel", "mountable"), KERNELS)
def test_storage_15_a_node_knows_what_its_kernel_mounts(
    make: MakeNode, system: str, version: str, kernel: str, mountable: str
) -> None:
    node = make(bundle("eks"))
    node.is_system(system, version, kernel)
    run = node.runs()
    assert run.returncode == 0
    assert ("is not in AWS's matrix of Lustre clients" in run.stdout) is (mountable == "")
    number = re.sub(r"[.-][a-z].*$", "", kernel)
    rows = [row for row in rows_of(f"{system} {version}") if covers(row, number)]
    assert (",".join(rows[0].file_systems) if rows else "") == mountable


@needs_bash
def test_storage_15_a_kernel_that_moved_on_is_named_where_a_mount_fails(make: MakeNode) -> None:
    node = make()
    node.is_system("ubuntu", "22.04", "6.11.0-1004-aws")
    run = node.runs()
    assert run.returncode == 1
    assert (
        "error: no Lustre file system answers at /fsx: kernel 6.11.0-1004-aws has no Lustre client"
        in run.stdout
    )


@needs_bash
@pytest.mark.parametrize(("version", "said"), [("2.10", True), ("2.15", False)])
def test_storage_16_a_version_that_the_client_cannot_mount_is_named(
    make: MakeNode, version: str, said: bool
) -> None:
    node = make(bundle(file_systems=[replace(PLAIN, version=version)]))
    run = node.runs()
    assert run.returncode == 1
    sentence = "its version is 2.10, and the client of ubuntu 22.04 mounts 2.12 or 2.15"
    assert (sentence in run.stdout) is said


@needs_bash
def test_storage_15_upgrades_that_nobody_asked_for_leave_the_kernel(ready: Node) -> None:
    (ready.root / "etc" / "needrestart").mkdir(parents=True)
    ready.runs()
    blocked = re.findall(r'"([^"]+)";', ready.text("etc/apt/apt.conf.d/90ultracluster-kernel"))
    for package in ("linux-image-6.8.0-1030-aws", "linux-aws", "linux-modules-6.8.0-1030-aws"):
        assert any(re.match(name, package) for name in blocked)
    assert any(re.match(name, "lustre-client-modules-aws") for name in blocked)
    assert not any(re.match(name, "libssl3") for name in blocked)
    assert (ready.folder / "selections").read_text() == "lustre-client-modules-aws hold\n"
    assert "qr(^slurm)" in ready.text("etc/needrestart/conf.d/90-ultracluster.conf")


@needs_bash
def test_apt_and_perl_read_what_was_written_for_them(ready: Node) -> None:
    (ready.root / "etc" / "needrestart").mkdir(parents=True)
    ready.runs()
    if apt := shutil.which("apt-config"):
        file = ready.root / "etc" / "apt" / "apt.conf.d" / "90ultracluster-kernel"
        dump = subprocess.run(
            [apt, "dump", "Unattended-Upgrade"],
            env={"APT_CONFIG": str(file)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert 'Unattended-Upgrade::Package-Blacklist:: "linux-image";' in dump.stdout
    if perl := shutil.which("perl"):
        file = ready.root / "etc" / "needrestart" / "conf.d" / "90-ultracluster.conf"
        code = f"our %nrconf; do './{file.name}'; die $@ if $@; print keys %{{$nrconf{{override_rc}}}}"
        run = subprocess.run([perl, "-e", code], cwd=file.parent, capture_output=True, text=True, check=False)
        kept = {"^slurm", "^munge", "^nvidia-", r"^(docker|containerd)\.service$"}
        assert (
            set(run.stdout.replace("(?^:", "\n").replace(")\n", "\n").strip(")\n").split("\n")),
            run.stderr,
        ) == (kept, "")


@needs_bash
@pytest.mark.parametrize("system", ["amzn", "rhel"])
def test_other_systems_get_no_files_of_ubuntu(make: MakeNode, system: str) -> None:
    node = make(bundle("pcs", []))
    node.is_system(system, "2023", "6.12.1-1.amzn2023.x86_64")
    assert node.runs().returncode == 0
    assert not [name for name in node.files() if "apt" in name or "needrestart" in name]
    assert node.calls("dpkg") == []
