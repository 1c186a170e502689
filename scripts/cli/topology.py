"""`ultracluster topology`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.design.slurm.node_names import hostlist
from config.design.slurm.topology import Topology, TopologyError, plan_topology, read_topology
from config.design.slurm.topology_files import topology_file
from config.design.slurm.topology_fit import Fit, fit
from scripts.cli.output import heading, line, refuse, write_json, write_problem, write_table


def show_topology(
    source: str, *, names: str | None, nodes: int | None, slurm_version: str | None, as_json: bool
) -> int:
    """Print where the nodes of an answer of DescribeInstanceTopology stand; `-` reads standard input.

    Returns 1 where a job of `nodes` nodes fits under no leaf switch and in no UltraServer, 2 where there is
    no such answer.
    """
    if slurm_version is not None and (nodes is not None or as_json):
        other = "--json" if nodes is None else "--nodes"
        write_problem(
            f"--slurm beside {other}: the file for Slurm is all that would be printed",
            f"give --slurm for the file, or {other} alone",
        )
        return 2
    try:
        topology = plan_topology(read_topology(_json(source), _names(names)))
        if slurm_version is not None:
            print(topology_file(topology, slurm_version).text, end="")
            return 0
    except TopologyError as error:
        return refuse(str(error), error.hint)
    place = None if nodes is None else fit(topology, nodes)
    if as_json:
        write_json(_as_data(topology, place))
    else:
        _write(topology, place)
    return 0 if place is None or place.group else 1


def _json(source: str) -> Any:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise TopologyError(
            f"{source} cannot be read: {reason}", "give a file, or - for standard input"
        ) from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise TopologyError(
            f"{'standard input' if source == '-' else source} is no JSON",
            "give what `aws ec2 describe-instance-topology --output json` prints",
        ) from None


def _names(source: str | None) -> Mapping[str, str] | None:
    """Nodes' names by instance id, as `scontrol show nodes --json` has them (Slurm 23.11 and newer)."""
    if source is None:
        return None
    answer = _json(source)
    nodes = answer.get("nodes") if isinstance(answer, dict) else None
    if not isinstance(nodes, list):
        raise TopologyError(f"{source} has no `nodes`", "give what `scontrol show nodes --json` prints")
    named = [n for n in nodes if isinstance(n, dict) and n.get("instance_id") and n.get("name")]
    if not named:
        raise TopologyError(
            f"no node of {source} has an `instance_id`",
            "leave --names out: the instances' ids are then the names of the nodes",
        )
    return {str(node["instance_id"]): str(node["name"]) for node in named}


def _as_data(topology: Topology, place: Fit | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "switches": [
            {"name": switch.name, "nodes": list(switch.nodes), "switches": list(switch.switches)}
            for switch in topology.switches
        ],
        "ultraservers": [
            {"name": block.name, "nodes": list(block.nodes), "machines": block.unit}
            for block in topology.blocks
        ],
    }
    if place is not None:
        data["job"] = {
            "nodes": place.nodes,
            "under": place.group,
            "node_list": list(place.chosen),
            "spans": place.spans,
        }
    return data


def _write(topology: Topology, place: Fit | None) -> None:
    if topology.leaves:
        heading("leaf switches")
        rows = [(leaf.name, str(len(leaf.nodes)), hostlist(leaf.nodes)) for leaf in topology.leaves]
        write_table(("switch", "nodes", "which"), rows, right=[1])
    above = [switch for switch in topology.switches if switch.switches]
    if above:
        heading("switches above")
        write_table(("switch", "of"), [(switch.name, ", ".join(switch.switches)) for switch in above])
    if topology.blocks:
        heading("UltraServers")
        rows = [
            (block.name, f"{len(block.nodes)} of {block.unit}", hostlist(block.nodes))
            for block in topology.blocks
        ]
        write_table(("UltraServer", "nodes", "which"), rows, right=[1])
    if place is not None:
        _write_place(place)


def _write_place(place: Fit) -> None:
    heading(f"a job of {place.nodes} {'node' if place.nodes == 1 else 'nodes'}")
    if place.group:
        line(f"fits under {place.group}: --nodelist={hostlist(place.chosen)}")
    elif place.spans:
        line(f"fits under none; {place.spans} of them hold it")
    else:
        line("does not fit: there are too few nodes in one network")
