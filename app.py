"""CDK app: synthesizes the stack of a profile from the CDK context."""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.cluster import Cluster

ROOT = Path(__file__).resolve().parent

METADATA: dict[str, bool] = {
    "aws:cdk:enable-path-metadata": False,
    "aws:cdk:enable-asset-metadata": False,
    "aws:cdk:disable-stack-trace": True,
}
"""CDK context of the app. The CLI cannot change values in code, so every caller gets the same template."""


def main() -> int:
    """Synthesize the stack of the profile that `--context profile=NAME` names."""
    # imported objects are never freed, and garbage collection would need 20 % of the time
    gc.set_threshold(100_000)
    context = _context()
    # start Node while the profile is loaded, because both need the same time; if the profile has errors, do
    # not wait
    starting = Thread(target=_start_node, daemon=True)
    starting.start()
    from config.cluster import load_cluster
    from config.diagnostics import render

    cluster = load_cluster(context.get("profile"), orchestrator=context.get("orchestrator"))
    for diagnostic in cluster.diagnostics:
        print(render(diagnostic), file=sys.stderr)
    if cluster.design is None:
        print("the stack was not synthesized: the profile has errors", file=sys.stderr)
        return cluster.exit_status
    import_module("stacks.cluster_stack")  # while Node creates the validator
    starting.join()
    synthesize(cluster)
    return 0


def synthesize(cluster: Cluster, outdir: str | None = None) -> str:
    """Write the cloud assembly of a profile that has no errors, and return the assembly's folder."""
    import aws_cdk as cdk

    from stacks.cluster_stack import ClusterStack

    assert cluster.design is not None
    flags = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    app = cdk.App(
        analytics_reporting=False, post_cli_context=flags | METADATA, outdir=outdir, tree_metadata=False
    )
    ClusterStack(app, cluster.design, destroy_command=cluster.destroy_command)
    return app.synth().directory


def _start_node() -> None:
    # the interpreter may exit first and close Node's pipe; a permanent error occurs again when the stack is
    # created
    with suppress(Exception):
        cdk = import_module("aws_cdk")
        if os.environ.get("CDK_VALIDATION") == "false":
            return
        # synthesize an empty app: CDK creates its validator at the first synthesis, which is the longest step
        with TemporaryDirectory() as unread:
            cdk.App(analytics_reporting=False, outdir=unread, tree_metadata=False).synth()


def _context() -> dict[str, str]:
    """Return the values of `--context` that the CDK CLI passes."""
    context = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    # the CLI writes a context that is too large for the environment to a file
    overflow = os.environ.get("CONTEXT_OVERFLOW_LOCATION")
    if overflow:
        context |= json.loads(Path(overflow).read_text(encoding="utf-8"))
    return {
        key: value
        for key, value in context.items()
        if key in ("profile", "orchestrator") and isinstance(value, str)
    }


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
