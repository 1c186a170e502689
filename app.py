"""The CDK app: context to profile to stack."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from config.cluster import Cluster, load_cluster
from config.diagnostics import render

ROOT = Path(__file__).resolve().parent

METADATA: dict[str, bool] = {
    "aws:cdk:enable-path-metadata": False,
    "aws:cdk:enable-asset-metadata": False,
    "aws:cdk:disable-stack-trace": True,
}
"""Off in code, where the CLI's own settings cannot turn them on: a template is the same from every caller."""


def main() -> int:
    """Synthesize the stack of the profile that `--context profile=NAME` names."""
    context = _context()
    cluster = load_cluster(context.get("profile"), orchestrator=context.get("orchestrator"))
    for diagnostic in cluster.diagnostics:
        print(render(diagnostic), file=sys.stderr)
    if cluster.design is None:
        print("nothing was synthesized: the profile has errors", file=sys.stderr)
        return cluster.exit_status
    synthesize(cluster)
    return 0


def synthesize(cluster: Cluster, outdir: str | None = None) -> str:
    """Write the cloud assembly of a profile without errors; returns its folder."""
    import aws_cdk as cdk  # a profile with errors is refused without starting Node

    from stacks.cluster_stack import ClusterStack

    assert cluster.design is not None
    flags = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    app = cdk.App(
        analytics_reporting=False, post_cli_context=flags | METADATA, outdir=outdir, tree_metadata=False
    )
    ClusterStack(app, cluster.design, destroy_command=cluster.destroy_command)
    return app.synth().directory


def _context() -> dict[str, str]:
    """What the CDK CLI passes on of `--context`."""
    given = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    # where the CLI puts what the environment cannot hold
    overflow = os.environ.get("CONTEXT_OVERFLOW_LOCATION")
    if overflow:
        given |= json.loads(Path(overflow).read_text(encoding="utf-8"))
    return {
        key: value
        for key, value in given.items()
        if key in ("profile", "orchestrator") and isinstance(value, str)
    }


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
