"""Simulated node: programs are stubs and files are in a test folder, but the node scripts are real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from config.catalog import catalog
from config.cluster import load_cluster
from config.design.capacity.groups import GroupPlan
from config.design.capacity.purchase import purchase_of
from config.design.nodes.clients import SharedHome, SharedLustre
from config.design.nodes.collection import SlurmCollection
from config.design.nodes.repair.policy import RepairPolicy
from config.design.nodes.scripts import NodeScriptsPlan, plan_node_scripts
from config.profile.capacity.groups import CapacityBlock

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="needs bash")
PROGRAMS = Path(__file__).parent / "programs"

MAIN = SharedLustre(name="lustre", version="2.15", efa=True, mount_path="/fsx", striped=("/fsx/checkpoints",))
DATA = SharedLustre(
    name="data",
    version="2.15",
    efa=True,
    mount_path="/data",
    dns_name_parameter="/data-dns",
    mount_name_parameter="/data-mount",
)
PLAIN = replace(MAIN, efa=False)
SCRIPTED = replace(MAIN, dns_name_parameter="/lustre-dns", mount_name_parameter="/lustre-mount")
NFS = ("nfsvers=4.2", "rsize=1048576", "wsize=1048576", "timeo=600", "_netdev")
HOME = SharedHome(mount_path="/home", options=NFS, dns_name_parameter="/home-dns")
DNS = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com"
HOME_DNS = "fs-0fedcba9876543210.fsx.us-west-2.amazonaws.com"


@cache
def group_of(machine: str) -> GroupPlan:
    """Return the compute group of p6-b200 with another instance type."""
    design = load_cluster("p6-b200").design
    assert design
    (train,) = [group for group in design.groups if group.role == "compute"]
    return replace(train, instance_type=catalog().instances[machine])


def bundle(
    kind: str = "hyperpod-slurm",
    file_systems: Sequence[SharedLustre] = (MAIN,),
    home: SharedHome | None = None,
    *,
    machine: str = "p6-b200.48xlarge",
    local_nvme: bool = True,
    containers_on_nvme: bool = True,
    gds: bool = False,
    repaired: bool = False,
    policy: RepairPolicy | None = None,
    ends: str | None = None,
    collection: SlurmCollection | None = None,
) -> NodeScriptsPlan:
    """Return the script bundle of a cluster with one GPU instance type; `ends`: end of its reservation."""
    group = group_of(machine)
    if ends is not None:
        block = CapacityBlock(kind="capacity-block", reservation_id="cr-0123456789abcdef0", end=ends)
        purchase = purchase_of(block)
        group = replace(group, purchase=purchase, window=purchase.window(kind))
    return plan_node_scripts(
        kind,
        "us-west-2",
        [group],
        file_systems,
        home,
        local_nvme=local_nvme,
        containers_on_nvme=containers_on_nvme,
        gds_types=(machine,) if gds else (),
        repaired=repaired,
        policy=policy,
        collection=collection,
    )


class Node:
    """A new node: Ubuntu 22.04 with a kernel in AWS's matrix, without EFA devices.

    `has` and `lacks` set what the stand-ins go by (files in `folder`); `root` is the machine's own root.
    """

    def __init__(self, folder: Path, scripts: NodeScriptsPlan, machine: str = "p6-b200.48xlarge") -> None:
        self.folder = folder
        self.root = folder / "root"
        self.scripts = folder / "scripts"
        self.bin = folder / "bin"
        for place in (self.scripts, self.bin, self.root / "proc", self.root / "opt", folder / "parameters"):
            place.mkdir(parents=True)
        for name, content in scripts.files.items():
            (self.scripts / name).write_text(content)
        self.entry = scripts.entry
        for program in PROGRAMS.iterdir():
            shutil.copy(program, self.bin / program.name)
        instance = catalog().instances[machine]
        self.file("proc/mounts", "")
        self.file("proc/meminfo", f"MemTotal: {instance.memory_gib * 1048576 * 97 // 100} kB\n")
        self.file("sys/devices/virtual/dmi/id/product_name", machine + "\n")
        self.is_system("ubuntu", "22.04", "6.8.0-1021-aws")
        self.has("cpus", str(instance.vcpus))

    def file(self, path: str, text: str) -> Path:
        """Write a file of the node."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def text(self, path: str) -> str:
        """Return the text of a file of the node."""
        return (self.root / path).read_text()

    def has(self, name: str, text: str = "") -> None:
        """Set a condition that the stubs read."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def lacks(self, name: str) -> None:
        """Remove a condition; a program's name removes the program."""
        (self.folder / name).unlink(missing_ok=True)

    def is_system(self, name: str, version: str, kernel: str) -> None:
        """Set another operating system."""
        self.file("etc/os-release", f'NAME="some"\nID={name}\nVERSION_ID="{version}"\n')
        self.has("kernel", kernel + "\n")

    def has_efa(self, count: int) -> None:
        """Add EFA devices, and one RDMA device that is not EFA."""
        for name, driver in [*((f"rdmap{79 + i}s0", "efa") for i in range(count)), ("mlx5_0", "mlx5_core")]:
            drivers = self.root / "sys" / "bus" / driver
            drivers.mkdir(parents=True, exist_ok=True)
            device = self.root / "sys" / "class" / "infiniband" / name / "device"
            device.mkdir(parents=True)
            (device / "driver").symlink_to(drivers)
            self.file(
                f"sys/class/infiniband/{name}/device/vendor", "0x1d0f\n" if driver == "efa" else "0x15b3\n"
            )
            self.file(f"sys/class/infiniband/{name}/ports/1/state", "4: ACTIVE\n")

    def has_gpus(self, count: int, *, seen: int | None = None) -> None:
        """Add GPU device files, and set the number that the driver finds, by default all."""
        for file in (self.root / "dev").glob("nvidia*"):
            file.unlink()
        for name in (*(f"nvidia{i}" for i in range(count)), "nvidiactl", "nvidia-uvm"):
            self.file(f"dev/{name}", "")
        self.has("gpus", str(count if seen is None else seen))

    def has_disks(self, *, active: str = "active", status: int = 0) -> None:
        """Add local NVMe, and set the state of the AMI's service."""
        self.file("dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_AWS1", "")
        self.has("nvme-active", active)
        self.has("nvme-status", str(status))

    def mounts(self, path: str, kind: str = "lustre") -> None:
        """Add a mount that exists before the scripts run."""
        (self.root / path.strip("/")).mkdir(parents=True, exist_ok=True)
        if kind == "lustre":
            (self.root / "sys" / "module" / "lustre").mkdir(parents=True, exist_ok=True)
        with (self.root / "proc" / "mounts").open("a") as file:
            name = "zyxwvbev" if path == "/data" else "abcdebev"
            file.write(f"10.0.1.4@tcp:/{name} {self.root}{path} {kind} rw 0 0\n")

    @property
    def mounted(self) -> dict[str, str]:
        """Return the mounted file system types by path, without the test folder."""
        lines = (line.split() for line in self.text("proc/mounts").splitlines())
        return {path.removeprefix(str(self.root)): kind for _, path, kind, *_ in lines}

    def runs(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script of the bundle, by default the entry script; `boot.sh` runs at later boots."""
        script, *arguments = command or (self.entry,)
        installed = self.root / "opt" / "ultracluster" / script
        file = installed if installed.exists() and script != self.entry else self.scripts / script
        environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "NODE": str(self.folder),
            "ULTRACLUSTER_ROOT": str(self.root),
            "ULTRACLUSTER_WAIT_S": "0",
            **variables,
        }
        return subprocess.run(
            [str(BASH), str(file), *arguments],
            env=environment, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    def reboots(self, *, forgets_nvme: bool = False) -> None:
        """Simulate a reboot: only the root volume remains, and optionally the NVMe volume is empty."""
        kept = [
            line for line in self.text("proc/mounts").splitlines() if "/opt/" in line and "bind" not in line
        ]
        self.file("proc/mounts", "".join(f"{line}\n" for line in kept))
        shutil.rmtree(self.root / "sys" / "module", ignore_errors=True)
        self.lacks("interfaces")
        if forgets_nvme:
            shutil.rmtree(self.root / "opt" / "dlami" / "nvme")
            (self.root / "opt" / "dlami" / "nvme").mkdir()
        self.lacks("calls")

    def calls(self, program: str) -> list[str]:
        """Return the calls of a program in order, without the test folder."""
        file = self.folder / "calls"
        lines = file.read_text().replace(str(self.root), "").splitlines() if file.exists() else []
        return [line.rstrip() for line in lines if line.split()[0] == program]

    def files(self) -> dict[str, str]:
        """Return all files that the scripts may have written, without logs and times."""
        found = {}
        for folder in ("etc", "opt", "usr", "var"):
            for parent, _, names in os.walk(self.root / folder):
                for name in names:
                    file = Path(parent) / name
                    if "/log/" not in str(file) and "/health/" not in str(file) and file.suffix != ".prom":
                        found[str(file.relative_to(self.root))] = file.read_text()
        return found


def health(node: Node, name: str = "lustre") -> tuple[str, str]:
    """Return state and reason of a file system from the check's file."""
    found = json.loads(node.text(f"var/lib/ultracluster/health/lustre-{name}.json"))
    return found["state"], found["reason"]


def gpu_health(node: Node) -> tuple[str, str, str]:
    """Return state, action and reason of the GPUs from the check's file."""
    found = json.loads(node.text("var/lib/ultracluster/health/gpu.json"))
    return found["state"], found["action"], found["reason"]


def interfaces(node: Node) -> list[str]:
    """Return the EFA interfaces of LNet."""
    file = node.folder / "interfaces"
    return file.read_text().split() if file.exists() else []


def knows(node: Node) -> Node:
    """Return the SSM parameters of all file systems."""
    for name in ("lustre", "data"):
        node.has(f"parameters//{name}-dns", DNS + "\n")
        node.has(f"parameters//{name}-mount", "abcdebev\n")
    node.has("parameters//home-dns", HOME_DNS + "\n")
    return node
