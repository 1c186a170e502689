"""A node whose programs are stand-ins, and whose files lie in a folder of the test; the scripts are real."""

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
    """The compute group of p6-b200 with another instance type."""
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
    """The scripts of a cluster with one type of GPU machine; `ends`: when its reservation does."""
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
    """A machine, as its image left it: Ubuntu 22.04 with a kernel of AWS's matrix, and no EFA of its own.

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
        """Write a file of the machine."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def text(self, path: str) -> str:
        """A file of the machine."""
        return (self.root / path).read_text()

    def has(self, name: str, text: str = "") -> None:
        """Tell the stand-ins something."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def lacks(self, name: str) -> None:
        """Take it back; a program's name removes the program."""
        (self.folder / name).unlink(missing_ok=True)

    def is_system(self, name: str, version: str, kernel: str) -> None:
        """Another operating system."""
        self.file("etc/os-release", f'NAME="some"\nID={name}\nVERSION_ID="{version}"\n')
        self.has("kernel", kernel + "\n")

    def has_efa(self, count: int) -> None:
        """EFA devices, and one device of RDMA that is not EFA."""
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
        """Device files of GPUs, and how many of them the driver sees: all, unless told else."""
        for file in (self.root / "dev").glob("nvidia*"):
            file.unlink()
        for name in (*(f"nvidia{i}" for i in range(count)), "nvidiactl", "nvidia-uvm"):
            self.file(f"dev/{name}", "")
        self.has("gpus", str(count if seen is None else seen))

    def has_disks(self, *, active: str = "active", status: int = 0) -> None:
        """Local NVMe, and the image's service in some state."""
        self.file("dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_AWS1", "")
        self.has("nvme-active", active)
        self.has("nvme-status", str(status))

    def mounts(self, path: str, kind: str = "lustre") -> None:
        """Something that is mounted before the scripts run."""
        (self.root / path.strip("/")).mkdir(parents=True, exist_ok=True)
        if kind == "lustre":
            (self.root / "sys" / "module" / "lustre").mkdir(parents=True, exist_ok=True)
        with (self.root / "proc" / "mounts").open("a") as file:
            name = "zyxwvbev" if path == "/data" else "abcdebev"
            file.write(f"10.0.1.4@tcp:/{name} {self.root}{path} {kind} rw 0 0\n")

    @property
    def mounted(self) -> dict[str, str]:
        """File system types by path, without the test's folder."""
        lines = (line.split() for line in self.text("proc/mounts").splitlines())
        return {path.removeprefix(str(self.root)): kind for _, path, kind, *_ in lines}

    def runs(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script of the bundle, by default its entry; with `boot.sh` what a later boot runs."""
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
        """What a reboot leaves: the root volume, no mounts, no modules, and perhaps an empty NVMe volume."""
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
        """The calls of a program, in order, without the test's folder."""
        file = self.folder / "calls"
        lines = file.read_text().replace(str(self.root), "").splitlines() if file.exists() else []
        return [line.rstrip() for line in lines if line.split()[0] == program]

    def files(self) -> dict[str, str]:
        """Every file that the scripts may have written, without logs and times."""
        found = {}
        for folder in ("etc", "opt", "usr", "var"):
            for parent, _, names in os.walk(self.root / folder):
                for name in names:
                    file = Path(parent) / name
                    if "/log/" not in str(file) and "/health/" not in str(file) and file.suffix != ".prom":
                        found[str(file.relative_to(self.root))] = file.read_text()
        return found


def health(node: Node, name: str = "lustre") -> tuple[str, str]:
    """State and reason of a file system, as the check wrote them."""
    found = json.loads(node.text(f"var/lib/ultracluster/health/lustre-{name}.json"))
    return found["state"], found["reason"]


def gpu_health(node: Node) -> tuple[str, str, str]:
    """State, action and reason of the GPUs, as the check wrote them."""
    found = json.loads(node.text("var/lib/ultracluster/health/gpu.json"))
    return found["state"], found["action"], found["reason"]


def interfaces(node: Node) -> list[str]:
    """The EFA interfaces that LNet has."""
    file = node.folder / "interfaces"
    return file.read_text().split() if file.exists() else []


def knows(node: Node) -> Node:
    """The parameters of all file systems."""
    for name in ("lustre", "data"):
        node.has(f"parameters//{name}-dns", DNS + "\n")
        node.has(f"parameters//{name}-mount", "abcdebev\n")
    node.has("parameters//home-dns", HOME_DNS + "\n")
    return node
