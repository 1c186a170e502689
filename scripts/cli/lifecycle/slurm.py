"""Slurm as a scheduler: inactive partitions, drained nodes, running jobs.

To pause the whole cluster, its partitions are set to INACTIVE, because nodes may be replaced. To pause a
group or a node, its nodes are drained. A partition in the state INACTIVE accepts no new jobs and starts no
queued jobs. DRAIN would start queued jobs, and DOWN would accept new jobs
(https://slurm.schedmd.com/scontrol.html).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from config.design.slurm.node_names import expand, hostlist
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.target import every

from .node_shell import NodeShell
from .scheduler import RunningJob, Scope
from .where import Where

REASON = "ultracluster: drained"
"""Drain reason that ultracluster sets on nodes; nodes with another drain reason are not released."""

_TAKES = ("up", "drain")
_STATES = "RUNNING,COMPLETING,CONFIGURING,SUSPENDED,STOPPED"


GroupHosts = Callable[[str, set[str]], Iterable[str]]
"""Function of a group and all existing Slurm node names; returns the names of the group's nodes."""


class SlurmScheduler:
    """Slurm, queried on a node; `hosts` returns the names of a group's nodes."""

    def __init__(self, shell: NodeShell, hosts: GroupHosts) -> None:
        self._shell, self._hosts = shell, hosts

    def hold(self, scope: Scope) -> tuple[str, ...]:
        """See Scheduler."""
        if scope.is_everything:
            names = [name for name, state in self._partitions() if state in _TAKES]
            self._update(f"PartitionName={shlex.quote(name)} State=INACTIVE" for name in names)
            return tuple(f"partition {name}" for name in names)
        # a node that is drained for another reason accepts no jobs either, and keeps its reason
        wanted = self._named(scope)
        names = [name for name, state, _ in self._nodes() if name in wanted and not state.startswith("drain")]
        if names:
            self._update(
                [f"NodeName={shlex.quote(hostlist(names))} State=DRAIN Reason={shlex.quote(REASON)}"]
            )
        return tuple(f"node {name}" for name in names)

    def release(self, scope: Scope) -> tuple[str, ...]:
        """See Scheduler."""
        partitions = [name for name, state in self._partitions() if state.startswith("inact")]
        wanted = None if scope.is_everything else self._named(scope)
        names = [
            name
            for name, _, reason in self._nodes()
            if reason == REASON and (wanted is None or name in wanted)
        ]
        changes = [f"PartitionName={shlex.quote(name)} State=UP" for name in partitions if wanted is None]
        # UNDRAIN does not change a node that is down or powered off
        changes += [f"NodeName={shlex.quote(hostlist(names))} State=UNDRAIN"] if names else []
        self._update(changes)
        done = [f"partition {name}" for name in partitions if wanted is None]
        return (*done, *(f"node {name}" for name in names))

    def running(self, scope: Scope) -> tuple[RunningJob, ...]:
        """See Scheduler."""
        nodes: list[str] = []
        if not scope.is_everything:
            nodes = [f"--nodelist={shlex.quote(hostlist(self._named(scope)))}"]
        arguments = [
            self._program("squeue"),
            "--noheader",
            "--all",
            "--noconvert",  # otherwise 1024 nodes are printed as 1K
            f"--states={_STATES}",
            "--format='%A|%u|%D|%L|%j'",
        ]
        return tuple(_jobs(self._shell.run(" ".join([*arguments, *nodes]))))

    def cancel(self, scope: Scope) -> None:
        """See Scheduler."""
        jobs = sorted({int(job.id) for job in self.running(scope)})
        if jobs:
            self._shell.run(" ".join([self._program("scancel"), *map(str, jobs)]))

    def _named(self, scope: Scope) -> set[str]:
        there = {name for name, _, _ in self._nodes()}
        unknown = sorted(set(scope.nodes) - there)
        if unknown:
            raise RehearsalError(f"Slurm has no node {unknown[0]}: `sinfo --Node` lists the nodes", 2)
        found = {group: set(self._hosts(group, there)) for group in scope.groups}
        empty = [group for group, names in found.items() if not names]
        if empty:
            raise RehearsalError(f"Slurm has no nodes of group {empty[0]}, so ultracluster cannot drain it")
        return set(scope.nodes).union(*found.values())

    def _partitions(self) -> list[tuple[str, str]]:
        output = self._shell.run(f"{self._program('sinfo')} --noheader --all --format='%R|%a'")
        found = [line.split("|") for line in _lines(output)]
        return sorted({(parts[0], parts[1].lower()) for parts in found if len(parts) == 2})

    def _nodes(self) -> list[tuple[str, str, str]]:
        # equal nodes are printed as one list, because output of Run Command is limited to 24,000 characters
        # (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetCommandInvocation.html)
        output = self._shell.run(f"{self._program('sinfo')} --noheader --all --format='%N|%T|%E'")
        found = [parts for line in _lines(output) if len(parts := line.split("|", 2)) == 3]
        return sorted(
            {(name, state.lower(), reason) for names, state, reason in found for name in expand(names)}
        )

    def _update(self, changes: Iterable[str]) -> None:
        lines = [f"{self._program('scontrol')} update {change}" for change in changes]
        if lines:
            self._shell.run(" && ".join(lines))

    def _program(self, name: str) -> str:
        return f"{self._shell.programs}{name}"


def pcs_hosts(where: Where, group: str, there: set[str]) -> Iterator[str]:
    """Yield the PCS nodes of a group; a node's name is the group's name in PCS, a hyphen and a number."""
    pcs = where.design.pcs
    names = [plan.name for plan in pcs.groups if plan.group.name == group] if pcs else []
    for name in names:
        yield from (one for one in there if re.fullmatch(rf"{re.escape(name)}-\d+", one))


def hyperpod_hosts(where: Where, cluster_arn: str, group: str, there: set[str]) -> Iterator[str]:
    """Yield the HyperPod nodes of a group: a node's name is the host name that SageMaker returns."""
    sagemaker, name = where.client("sagemaker"), {"ClusterName": cluster_arn}
    for node in every(sagemaker, "list_cluster_nodes", "ClusterNodeSummaries", **name):
        if node["InstanceGroupName"] == group:
            details = sagemaker.describe_cluster_node(**name, NodeId=node["InstanceId"])["NodeDetails"]
            host = str(details.get("PrivateDnsHostname", "")).partition(".")[0]
            yield from {host} & there


def _jobs(output: str) -> Iterator[RunningJob]:
    """Yield jobs; raises for an unreadable line, because a missed job would lose its nodes while it runs."""
    lines = _lines(output)
    for i, line in enumerate(lines):
        parts = line.split("|", 4)
        if len(parts) == 5 and parts[0].isdecimal():
            number, user, nodes, left, name = parts
            count = int(nodes) if nodes.isdecimal() else 0
            yield RunningJob(id=number, name=name, user=user, nodes=count, left=left)
        elif not 0 < i == len(lines) - 1:  # the last line of a long answer may have been cut
            raise RehearsalError(f"the output of squeue cannot be read: {line[:200]!r}")


def _lines(output: str) -> list[str]:
    return [line.strip() for line in output.splitlines() if line.strip()]
