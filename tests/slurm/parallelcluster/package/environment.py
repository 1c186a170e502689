"""Creates ParallelCluster's environment on demand in `.cache/pcluster`, since its jsii version conflicts.

The steps are recorded and locked like those of the project's setup: an interrupted run is repeated, parallel
runs wait for each other, and a changed lock file creates a new environment.
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
    """ParallelCluster's environment cannot be created on this host; the text is the reason in one line."""


def ensure_environment(root: Path = ROOT) -> Path:
    """Return the Python of the environment, which is created if it does not exist; stderr has the progress.

    Raises: PclusterMissingError: it cannot be created, for example without network access.
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
    """Create the virtual environment of `root`, then install the locked packages."""
    folder, lock = root / FOLDER, root / LOCK
    venv = folder / ".venv"
    version = ".".join(map(str, sys.version_info[:2]))
    return [
        Step(
            name="environment",
            title="Python environment of aws-parallelcluster",
            inputs=[lock, version, str(folder)],  # an environment depends on its path
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
    """Return the driver's environment variables: no account, no AWS settings, the project's Node."""
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
        # jsii 1.85 of 2023 does not support Node 24
        "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION": "true",
    }
