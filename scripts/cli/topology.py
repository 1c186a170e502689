"""The `ultracluster topology` command."""

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
    """Print the network topology from a response of DescribeInstanceTopology; `-` reads standard input.

    Return 1 if a job of `nodes` nodes does not fit under one leaf switch or in one UltraServer, and 2 if the
    response is not valid.
    """
    if slurm_version is not None and (nodes is not None or as_json):
        other = "--json" if nodes is None else "--nodes"
        write_problem(
            f"--slurm and {other} cannot be combined, because --slurm prints only the file for Slurm",
            f"remove --slurm or {other}",
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


def _json(source: str, command: str = "aws ec2 describe-instance-topology --output json") -> Any:
    """Return the JSON of a file or of standard input, which is the output of `command`."""
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise TopologyError(
            f"cannot read {source}: {reason}", "pass a file, or - for standard input"
        ) from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise TopologyError(
            f"{'standard input' if source == '-' else source} is not valid JSON",
            f"use the output of `{command}`",
        ) from None


def _names(source: str | None) -> Mapping[str, str] | None:
    """Return node names by instance ID, from `scontrol show nodes --json` (Slurm 23.11 or later)."""
    if source is None:
        return None
    answer = _json(source, "scontrol show nodes --json")
    nodes = answer.get("nodes") if isinstance(answer, dict) else None
    if not isinstance(nodes, list):
        raise TopologyError(
            f"{source} does not contain `nodes`", "use the output of `scontrol show nodes --json`"
        )
    named = [n for n in nodes if isinstance(n, dict) and n.get("instance_id") and n.get("name")]
    if not named:
        raise TopologyError(
            f"the nodes in {source} do not have an `instance_id`",
            "remove --names to use instance IDs as node names",
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
        write_table(("switch", "nodes", "node list"), rows, right=[1])
    above = [switch for switch in topology.switches if switch.switches]
    if above:
        heading("upper switches")
        write_table(("switch", "connects"), [(switch.name, ", ".join(switch.switches)) for switch in above])
    if topology.blocks:
        heading("UltraServers")
        rows = [
            (block.name, f"{len(block.nodes)} of {block.unit}", hostlist(block.nodes))
            for block in topology.blocks
        ]
        write_table(("UltraServer", "nodes", "node list"), rows, right=[1])
    if place is not None:
        _write_place(place)


def _write_place(place: Fit) -> None:
    heading(f"a job of {place.nodes} {'node' if place.nodes == 1 else 'nodes'}")
    if place.group:
        line(f"fits under {place.group}: --nodelist={hostlist(place.chosen)}")
    elif place.spans:
        line(f"does not fit under one switch or UltraServer; the job needs {place.spans} of them")
    else:
        line("does not fit, because no network has enough nodes")
