"""Mounts, their values, striping, and what a node without its file system does."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.nodes.fixtures import MakeNode
from tests.nodes.node import DATA, DNS, HOME, HOME_DNS, MAIN, NFS, SCRIPTED, Node, bundle, knows, needs_bash

pytestmark = needs_bash
STRIPE = "lfs setstripe -E 100M -c 1 -E 10G -c 8 -E -1 -c -1"


def layout(*parts: tuple[str, str]) -> str:
    """As `lfs getstripe --directory` prints it."""
    return "".join(
        f"    lcme_extent.e_start: 0\n    lcme_extent.e_end:   {end}\n"
        f"      stripe_count:  {count}       stripe_size:   1048576       pattern:       raid0\n"
        for end, count in parts
    )


OURS = layout(("104857600", "1"), ("10737418240", "8"), ("EOF", "-1"))
DEFAULT = layout(("104857600", "1"), ("10737418240", "8"), ("107374182400", "16"), ("EOF", "32"))


@pytest.fixture
def pcs(make: MakeNode) -> Node:
    return knows(make(bundle("pcs", [SCRIPTED, DATA], HOME)))


@pytest.mark.long
@pytest.mark.parametrize("there", [True, False], ids=["another-file-system", "nothing"])
def test_a_node_without_its_file_system_stays_out(make: MakeNode, there: bool) -> None:
    node = make()
    if there:
        (node.root / "fsx").mkdir()
    run = node.runs()
    assert run.returncode == 1
    assert "error: no Lustre file system answers at /fsx" in run.stdout
    assert "node is ready" not in run.stdout


def test_a_node_without_its_home_stays_out(make: MakeNode) -> None:
    node = make(bundle(file_systems=[], home=HOME))
    assert node.runs().returncode == 1
    node.mounts("/home", "nfs")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert "home directories are mounted at /home" in run.stdout


@pytest.mark.long
def test_a_cluster_without_storage_has_nothing_to_wait_for(make: MakeNode) -> None:
    node = make(bundle(file_systems=[]))
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1].endswith("node is ready")
    assert node.runs("boot.sh", "check").returncode == 0


def test_hyperpod_mounts_one_lustre_and_the_scripts_the_others(make: MakeNode) -> None:
    node = knows(make(bundle(file_systems=[MAIN, DATA])))
    node.mounts("/fsx")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert node.mounted == {"/fsx": "lustre", "/data": "lustre"}
    (line,) = node.text("etc/fstab").splitlines()
    device, path, kind, options, *rest = line.split(" ")
    assert (device, path, kind, rest) == (f"{DNS}@tcp:/abcdebev", "/data", "lustre", ["0", "0"])
    assert options.split(",") == [
        "defaults", "relatime", "flock", "_netdev", "x-systemd.automount",
        "x-systemd.after=ultracluster-lnet.service",
        "x-systemd.after=configure-efa-fsx-lustre-client.service",
    ]  # fmt: skip
    assert [call.split()[6] for call in node.calls("aws")] == ["/data-dns", "/data-mount"]
    assert all("--region us-west-2" in call for call in node.calls("aws"))


@pytest.mark.long
def test_fstab_is_read_by_systemd_as_it_was_meant(make: MakeNode, tmp_path: Path) -> None:
    generator = Path("/usr/lib/systemd/system-generators/systemd-fstab-generator")
    if not generator.exists():
        pytest.skip("needs systemd-fstab-generator")
    node = knows(make(bundle(file_systems=[MAIN, DATA])))
    node.mounts("/fsx")
    node.runs()
    units = [tmp_path / name for name in ("normal", "early", "late")]
    for folder in units:
        folder.mkdir()
    subprocess.run(
        [str(generator), *map(str, units)],
        env={"SYSTEMD_FSTAB": str(node.root / "etc" / "fstab")}, check=True, timeout=30,
    )  # fmt: skip
    unit = (units[0] / "data.mount").read_text().splitlines()
    assert f"What={DNS}@tcp:/abcdebev" in unit
    after = {name for line in unit if line.startswith("After=") for name in line[6:].split()}
    assert after >= {"ultracluster-lnet.service", "configure-efa-fsx-lustre-client.service"}
    # at the first boot neither unit may be there, and a mount that requires it would not start
    assert not [line for line in unit if line.startswith(("Requires=", "BindsTo="))]
    assert (units[0] / "data.automount").exists()


@pytest.mark.long
def test_a_file_system_that_was_made_anew_takes_the_place_of_the_old(make: MakeNode) -> None:
    node = knows(make(bundle(file_systems=[MAIN, DATA])))
    node.mounts("/fsx")
    node.file("etc/fstab", "# /data is shared\nUUID=1 / ext4 defaults 0 1\n")
    node.runs()
    node.has("parameters//data-mount", "zyxwvbev")
    node.reboots()
    node.mounts("/fsx")
    node.runs()
    lines = node.text("etc/fstab").splitlines()
    assert lines[:2] == ["# /data is shared", "UUID=1 / ext4 defaults 0 1"]
    assert [line.split()[0] for line in lines[2:]] == [f"{DNS}@tcp:/zyxwvbev"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        ("data-dns", "evil.example.org", "is not the DNS name of a file system"),
        ("data-mount", "x y", "is not a mount name"),
        ("data-mount", None, "could not be read"),
    ],
)
def test_a_parameter_that_names_no_file_system_keeps_the_node_out(
    pcs: Node, parameter: str, value: str | None, said: str
) -> None:
    pcs.lacks(f"parameters/{parameter}")
    if value is not None:
        pcs.has(f"parameters/{parameter}", value)
    run = pcs.runs()
    assert run.returncode == 1
    assert said in run.stdout
    assert "/data" not in pcs.mounted


@pytest.mark.long
def test_a_mount_name_has_all_characters_that_fsx_allows(pcs: Node) -> None:
    pcs.has("parameters//data-mount", "aB_9-z")
    assert pcs.runs().returncode == 0
    assert f"mount -t lustre -o relatime,flock {DNS}@tcp:/aB_9-z /data" in pcs.calls("mount")


@pytest.mark.long
def test_a_lustre_file_system_may_be_named_home_beside_the_home_directories(make: MakeNode) -> None:
    node = knows(make(bundle("pcs", [SCRIPTED, replace(DATA, name="home")], HOME)))
    node.runs()
    node.reboots()
    shutil.rmtree(node.folder / "parameters")
    run = node.runs("boot.sh", "mounts")
    assert (run.returncode, node.mounted) == (0, {"/home": "nfs", "/fsx": "lustre", "/data": "lustre"})
    devices = [call.split()[5] for call in node.calls("mount")]
    assert devices == [f"{HOME_DNS}:/fsx", f"{HOME_DNS}:/fsx", *[f"{DNS}@tcp:/abcdebev"] * 2]


def test_pcs_mounts_everything_itself_in_order(pcs: Node) -> None:
    run = pcs.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert pcs.mounted == {"/home": "nfs", "/fsx": "lustre", "/data": "lustre"}
    assert not (pcs.root / "etc" / "fstab").exists()
    options = ",".join(NFS)
    assert pcs.calls("mount") == [
        f"mount -t nfs -o {options} {HOME_DNS}:/fsx /run/ultracluster-home",
        f"mount -t nfs -o {options} {HOME_DNS}:/fsx /home",
        f"mount -t lustre -o relatime,flock {DNS}@tcp:/abcdebev /fsx",
        f"mount -t lustre -o relatime,flock {DNS}@tcp:/abcdebev /data",
    ]


@pytest.mark.long
def test_what_the_image_has_in_home_goes_along_and_overwrites_nothing(pcs: Node) -> None:
    pcs.file("home/ubuntu/.ssh/authorized_keys", "the image's")
    pcs.file("home/ubuntu/.profile", "the image's")
    pcs.file("run/ultracluster-home/ubuntu/.profile", "the user's")
    pcs.runs()
    assert pcs.text("run/ultracluster-home/ubuntu/.ssh/authorized_keys") == "the image's"
    assert pcs.text("run/ultracluster-home/ubuntu/.profile") == "the user's"


@pytest.mark.long
def test_shared_directories_that_are_there_keep_owner_mode_and_time(pcs: Node) -> None:
    pcs.file("home/ubuntu/.ssh/authorized_keys", "the image's")
    shared = pcs.file("run/ultracluster-home/ubuntu/.ssh/config", "the user's").parent
    for folder, mode in ((pcs.root / "home/ubuntu/.ssh", 0o755), (shared, 0o700), (shared.parent, 0o710)):
        folder.chmod(mode)
    os.utime(shared.parent, (0, 0))
    chown = pcs.bin / "chown"
    chown.write_text('#!/usr/bin/env bash\necho "chown $*" >>"$NODE/calls"\n')
    chown.chmod(0o755)
    pcs.runs()
    assert pcs.text("run/ultracluster-home/ubuntu/.ssh/authorized_keys") == "the image's"
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (shared, shared.parent)] == [0o700, 0o710]
    assert shared.parent.stat().st_mtime == 0
    assert pcs.calls("chown") == []


@pytest.mark.long
def test_a_home_directory_that_is_new_has_the_mode_of_the_image(pcs: Node) -> None:
    pcs.file("home/ubuntu/.bashrc", "the image's")
    (pcs.root / "home" / "ubuntu").chmod(0o750)
    pcs.runs()
    made = pcs.root / "run" / "ultracluster-home" / "ubuntu"
    assert (stat.S_IMODE(made.stat().st_mode), pcs.text("run/ultracluster-home/ubuntu/.bashrc")) == (
        0o750,
        "the image's",
    )


@pytest.mark.long
def test_a_link_in_the_shared_directories_leads_nowhere(pcs: Node) -> None:
    pcs.file("home/ubuntu/.ssh/authorized_keys", "the image's")
    elsewhere = pcs.file("elsewhere/.profile", "another's").parent
    pcs.file("run/ultracluster-home/other", "")
    (pcs.root / "run/ultracluster-home/ubuntu").symlink_to(elsewhere)
    pcs.runs()
    assert [file.name for file in elsewhere.iterdir()] == [".profile"]


@pytest.mark.long
def test_a_mount_that_fails_keeps_the_node_out(pcs: Node) -> None:
    pcs.has("no-mount")
    run = pcs.runs()
    assert run.returncode == 1
    assert "error: no file system answers at /home" in run.stdout


@pytest.mark.long
def test_a_reboot_mounts_again_without_asking_for_parameters_it_cannot_get(pcs: Node) -> None:
    pcs.runs()
    pcs.reboots()
    shutil.rmtree(pcs.folder / "parameters")
    run = pcs.runs("boot.sh", "mounts")
    assert run.returncode == 0
    assert pcs.mounted == {"/home": "nfs", "/fsx": "lustre", "/data": "lustre"}


@pytest.mark.long
def test_a_second_run_mounts_nothing_twice(pcs: Node) -> None:
    pcs.runs()
    before = pcs.files()
    pcs.lacks("calls")
    assert pcs.runs().returncode == 0
    assert pcs.calls("mount") == []
    assert pcs.files() == before


@pytest.mark.long
def test_the_controller_stripes_the_directories_of_large_files(make: MakeNode) -> None:
    node = make()
    node.mounts("/fsx")
    node.has("controller")
    node.has("default-layout", DEFAULT)
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert f"{STRIPE} /fsx/checkpoints" in node.calls("lfs")
    assert (node.root / "fsx" / "checkpoints").is_dir()
    node.lacks("calls")
    assert "/fsx/checkpoints is already striped" in node.runs().stdout
    assert not [call for call in node.calls("lfs") if "setstripe" in call]


@pytest.mark.long
def test_other_nodes_of_hyperpod_stripe_nothing(ready: Node) -> None:
    ready.runs()
    assert ready.calls("lfs") == []


@pytest.mark.long
def test_on_pcs_whichever_node_comes_first_stripes(pcs: Node) -> None:
    pcs.runs()
    assert f"{STRIPE} /fsx/checkpoints" in pcs.calls("lfs")


@pytest.mark.long
def test_a_striping_that_somebody_chose_stays(pcs: Node) -> None:
    pcs.has("default-layout", DEFAULT)
    pcs.file("fsx/checkpoints/.layout", layout(("EOF", "4")))
    run = pcs.runs()
    assert "/fsx/checkpoints keeps its existing striping: EOF:4" in run.stdout
    assert not [call for call in pcs.calls("lfs") if "setstripe" in call]


@pytest.mark.long
@pytest.mark.parametrize("found", [OURS, DEFAULT, layout(("EOF", "4"))], ids=["ours", "default", "own"])
def test_only_a_directory_with_the_default_is_striped(pcs: Node, found: str) -> None:
    pcs.has("default-layout", DEFAULT)
    pcs.file("fsx/checkpoints/.layout", found)
    pcs.runs()
    assert bool([call for call in pcs.calls("lfs") if "setstripe" in call]) is (found == DEFAULT)


@pytest.mark.long
def test_a_node_that_cannot_stripe_joins_with_a_warning(pcs: Node) -> None:
    pcs.has("no-lfs")
    run = pcs.runs()
    assert run.returncode == 0
    assert "warning: /fsx/checkpoints keeps the default striping" in run.stdout
