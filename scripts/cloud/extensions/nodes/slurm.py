"""Model of Slurm's commands on a node, with the options that our commands use.

Other commands and options fail as on a real node, so that tests notice them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from config.design.slurm.node_names import expand, hostlist
from scripts.cloud.extensions.simulation import Job, Simulation

from .machines import Machine


@dataclass(frozen=True)
class Slurm:
    """The scheduler of one cluster."""

    simulation: Simulation
    cluster: str
    machines: tuple[Machine, ...]
    partitions: tuple[str, ...]

    def run(self, command: str) -> tuple[int, str]:
        """Run commands joined by `&&`; returns the exit status and the output."""
        out: list[str] = []
        for part in command.split(" && "):
            words = [word for word in shlex.split(part) if word not in ("sudo", "-n")]
            status, text = self._one(words)
            out += [text] if text else []
            if status:
                return status, "\n".join(out)
        return 0, "\n".join(out)

    def _one(self, words: list[str]) -> tuple[int, str]:
        program = words[0].rpartition("/")[2]
        known = {"sinfo": self._sinfo, "squeue": self._squeue, "scontrol": self._scontrol}
        if program == "echo":
            return 0, " ".join(words[1:])
        if program == "scancel":
            return self._scancel(words[1:])
        if program not in known:
            return 127, f"{words[0]}: command not found"
        return known[program](words[1:])

    def _sinfo(self, words: list[str]) -> tuple[int, str]:
        if any("%N" in word for word in words):
            alike: dict[str, list[str]] = {}
            for machine in self.machines:
                summary = f"{self._state(machine.name)}|{self._reason(machine.name)}"
                alike.setdefault(summary, []).append(machine.name)
            return 0, "\n".join(f"{hostlist(names)}|{summary}" for summary, names in alike.items())
        return 0, "\n".join(f"{name}|{self._available(name)}" for name in self.partitions)

    def _state(self, node: str) -> str:
        busy = any(node in job.nodes for job in self.simulation.running(self.cluster))
        if (self.cluster, node) in self.simulation.drained:
            return "draining" if busy else "drained"
        return "allocated" if busy else "idle"

    def _reason(self, node: str) -> str:
        return self.simulation.drained.get((self.cluster, node), "none")

    def _available(self, partition: str) -> str:
        return self.simulation.partitions.get((self.cluster, partition), "up")

    def _squeue(self, words: list[str]) -> tuple[int, str]:
        jobs = list(self.simulation.running(self.cluster))
        chosen = next((word.partition("=")[2] for word in words if word.startswith("--nodelist=")), None)
        if chosen is not None:
            wanted = set(expand(chosen))
            unknown = wanted - {machine.name for machine in self.machines}
            if unknown:
                return 1, f"squeue: error: Invalid node name {min(unknown)}"
            jobs = [job for job in jobs if wanted & set(job.nodes)]
        return 0, "\n".join(self._line(job, exact="--noconvert" in words) for job in jobs)

    def _line(self, job: Job, *, exact: bool) -> str:
        due = job.due
        left = "UNLIMITED" if due is None else _left((due - self.simulation.now()).total_seconds())
        nodes = len(job.nodes)
        # without `--noconvert`, Slurm writes 1024 as 1K
        count = f"{nodes // 1024}K" if nodes and nodes % 1024 == 0 and not exact else str(nodes)
        return f"{job.number}|{job.user}|{count}|{left}|{job.name}"

    def _scontrol(self, words: list[str]) -> tuple[int, str]:
        pairs = dict(word.partition("=")[::2] for word in words[1:])
        if words[0] != "update":
            return 1, f"invalid keyword: {words[0]}"
        if "PartitionName" in pairs:
            name = pairs["PartitionName"]
            if name not in self.partitions:
                return 1, "slurm_update error: Invalid partition name specified"
            self.simulation.partitions[self.cluster, name] = {"UP": "up", "INACTIVE": "inact"}[pairs["State"]]
        elif "NodeName" in pairs:
            nodes = expand(pairs["NodeName"])
            if set(nodes) - {machine.name for machine in self.machines}:
                return 1, "slurm_update error: Invalid node name specified"
            self._update_nodes(nodes, pairs)
        self.simulation.settle()
        return 0, ""

    def _update_nodes(self, nodes: Iterable[str], pairs: dict[str, str]) -> None:
        for node in nodes:
            if pairs["State"] == "DRAIN":
                self.simulation.drained[self.cluster, node] = pairs["Reason"]
            else:
                self.simulation.drained.pop((self.cluster, node), None)

    def _scancel(self, words: list[str]) -> tuple[int, str]:
        for job in self.simulation.running(self.cluster):
            if str(job.number) in words:
                self.simulation.end(job)
        return 0, ""


def _left(seconds: float) -> str:
    minutes, second = divmod(max(0, int(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{days}-{hour:02}:{minute:02}:{second:02}" if days else f"{hour}:{minute:02}:{second:02}"
