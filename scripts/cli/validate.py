"""The `ultracluster validate` command."""

from __future__ import annotations

from collections.abc import Sequence

from config.cluster import load_cluster
from config.diagnostics import counted
from scripts.cli.output import line, write_diagnostics, write_json
from scripts.cli.shell import SHELL_RULES


def validate(profiles: Sequence[str], *, orchestrator: str | None, as_json: bool) -> int:
    """Check each profile, and return the highest exit status."""
    clusters = [load_cluster(profile, orchestrator=orchestrator, further=SHELL_RULES) for profile in profiles]
    if as_json:
        write_json(
            [
                {
                    "profile": cluster.argument,
                    "ok": cluster.design is not None,
                    "diagnostics": [diagnostic.as_dict() for diagnostic in cluster.diagnostics],
                }
                for cluster in clusters
            ]
        )
    else:
        for cluster in clusters:
            write_diagnostics(cluster.diagnostics)
            said = counted(cluster.diagnostics)
            line(f"{cluster.argument}: {'ok' if cluster.design else 'invalid'}{f' ({said})' if said else ''}")
    return max(cluster.exit_status for cluster in clusters)
