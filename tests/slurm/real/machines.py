"""Simulated hosts of Slurm nodes: the real prolog and epilog with stubs of their programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.nodes.fixtures import prepared
from tests.nodes.node import Node, bundle
from tests.slurm.conf import SlurmConf
from tests.slurm.real.slurm_cluster import NVIDIA, Slurm

_SCRIPT = """#!/bin/bash
# Slurm passes only its own environment to scripts, so the differences from an AWS node are set here.
export NODE={machines}/$SLURMD_NODENAME SLURM_CONF={conf}
export ULTRACLUSTER_ROOT=$NODE/root ULTRACLUSTER_SCRIPTS=$NODE/scripts ULTRACLUSTER_WAIT_S=0
export PATH=$NODE/bin:/usr/bin:/bin
exec >>"$NODE/{name}.log" 2>&1
exec /bin/bash "$NODE/scripts/{name}.sh" "$@"
"""
_UNAME = """#!/bin/sh
case $1 in
  --kernel-release) cat "$NODE/kernel" ;;
  --nodename) echo "$SLURMD_NODENAME" ;;
esac
"""


class Machines:
    """A simulated host for each node; `node(name)` is the same as in the tests of the node scripts.

    `settings` are the slurm.conf lines that run the scripts of each node.
    """

    def __init__(self, folder: Path, conf: SlurmConf, kind: str) -> None:
        self.folder = folder
        self.conf = conf
        scripts = bundle(kind, repaired=kind == "hyperpod-slurm")
        self._nodes = {name: prepared(Node(folder / name, scripts)) for name in conf.each_node}
        for node in self._nodes.values():
            (node.bin / "scontrol").unlink()  # use the real scontrol
            (node.bin / "uname").write_text(_UNAME)
        self.settings = {name: str(self.folder / name.lower()) for name in ("Prolog", "Epilog")}
        if kind == "pcs":
            # PCS sets its own RebootProgram, without which Slurm rejects reboot requests
            self.settings["RebootProgram"] = "/bin/true"

    def attach(self, slurm: Slurm) -> None:
        """Let the scripts use this Slurm, and its device files be those of the hosts."""
        for name, node in self._nodes.items():
            shutil.rmtree(node.root / "dev")
            (node.root / "dev").symlink_to(slurm.folder / "dev" / name)
        for name in ("prolog", "epilog", "boot"):
            file = self.folder / name
            file.write_text(_SCRIPT.format(machines=self.folder, conf=slurm.folder / "slurm.conf", name=name))
            file.chmod(0o755)

    def loses_gpu(self, name: str, gpu: int = 7) -> None:
        """Remove the device file of a GPU, as if it fell off the bus."""
        (self._nodes[name].root / "dev" / f"nvidia{gpu}").unlink()

    def gets_gpu(self, name: str, gpu: int = 7) -> None:
        """Restore the device file, as after a reset."""
        os.mknod(self._nodes[name].root / "dev" / f"nvidia{gpu}", 0o20666, os.makedev(NVIDIA, gpu))

    def runs_health(self, name: str) -> None:
        """Run the checks that a node's timer runs every few minutes."""
        subprocess.run(
            [str(self.folder / "boot"), "health"], env={"SLURMD_NODENAME": name}, check=False, timeout=60
        )

    def said(self, name: str, script: str) -> list[str]:
        """Return the messages of a node's prolog and epilog, empty without problems."""
        file = self.folder / name / f"{script}.log"
        return file.read_text().split("\n") if file.exists() and file.read_text().strip() else []
