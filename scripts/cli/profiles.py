"""The `ultracluster profiles` command."""

from __future__ import annotations

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from scripts.cli.output import write_json, write_table


def list_profiles(*, as_json: bool) -> int:
    """List the built-in profiles."""
    rows = []
    for name in built_in_names():
        design = load_cluster(name).design
        assert design is not None  # a test loads every built-in profile
        rows.append(
            {
                "name": name,
                "region": design.profile.region,
                "orchestrator": design.profile.orchestrator.kind if design.profile.orchestrator else None,
                "nodes": sum(group.count for group in design.groups),
                "gpus": sum(group.gpus for group in design.groups),
                "description": design.summary,
            }
        )
    if as_json:
        write_json(rows)
    else:
        write_table(
            ("name", "region", "GPUs", "description"),
            [(str(r["name"]), str(r["region"]), str(r["gpus"] or "-"), str(r["description"])) for r in rows],
            right=(2,),
        )
    return 0
