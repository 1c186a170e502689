"""Makes ParallelCluster's own environment on demand, in `.cache/pcluster`: its jsii pin conflicts with ours.

The steps are recorded and locked as those of the project's own set-up are: what an interrupted run left is
done again, two runs at a time wait for each other, and a changed lock file makes the environment anew.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.tools.setup.bootstrap import ROOT, install_locked, make_environment
from scripts.tools.setup.failures import SetupError
from scripts.tools.setup.steps import Step, carry_out

LOCK = "requirements-pcluster.txt"
FOLDER = Path(".cache/pcluster")


class PclusterMissingError(Exception):
    """ParallelCluster's environment cannot be had on this machine; the text is one line and says why."""


def ensure_environment(root: Path = ROOT) -> Path:
    """The Python of the environment, which is made if it is not there; progress goes to stderr.

    Raises:
        PclusterMissingError: it cannot be made, for want of a network for example.
    """
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            carry_out(steps(root), folder, getattr(sys, "_base_executable", sys.executable), stamps=[])
    except SetupError as error:
        raise PclusterMissingError(
            f"the environment of aws-parallelcluster was not made: {error}; {error.hint}"
        ) from None
    return folder / ".venv/bin/python"


def steps(root: Path) -> list[Step]:
    """The environment of `root`, then the locked packages in it."""
    folder, lock = root / FOLDER, root / LOCK
    venv = folder / ".venv"
    version = ".".join(map(str, sys.version_info[:2]))
    return [
        Step(
            name="environment",
            title="Python environment of aws-parallelcluster",
            inputs=[lock, version, str(folder)],  # an environment does not survive a move
            products=[venv / "bin/python", venv / "bin/pip"],
            make=make_environment,
        ),
        Step(
            name="packages",
            title="aws-parallelcluster",
            inputs=[lock],
            products=[],
            make=install_locked(str(lock)),
            registry="PyPI",
        ),
    ]


def settings(environment: Mapping[str, str] = os.environ, root: Path = ROOT) -> dict[str, str]:
    """What the driver runs with: no account, no network, our Node; nothing else of a user's AWS settings."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("AWS_", "JSII_", "CDK_", "PYTHON", "MOTO_"))
    }
    return kept | {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "JSII_NODE": str(root / ".venv/bin/node"),
        # jsii 1.85 of 2023 knows no Node 24
        "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION": "true",
    }
