"""The CDK CLI as a child process, with Node from the Python environment and nothing sent home."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.profile.deployment import DEFAULT_QUALIFIER
from config.profile.source.reference import built_in_names

from .errors import RehearsalError

ROOT = Path(__file__).resolve().parents[3]
# the CLI waits on these where the network is closed
_QUIET = ("--no-notices", "--no-version-reporting")


def seen_from_the_app(profile: str, app: Path) -> str:
    """A path that the user gave from the current folder, as the CDK app finds it from its own."""
    file = Path(profile).expanduser()
    if not profile or profile in built_in_names() or not file.is_file() or Path.cwd() == app:
        return profile
    return str(file.resolve())


@dataclass(frozen=True)
class Toolkit:
    """The CLI, run in the folder of a CDK app (one with a cdk.json)."""

    app: Path
    environment: Mapping[str, str]

    def synth(self, context: Mapping[str, str], output: Path) -> None:
        """Write the cloud assembly of a profile."""
        pairs = [part for key, value in context.items() for part in ("--context", f"{key}={value}")]
        self._run("the profile could not be synthesized", "synth", "--quiet", "--output", str(output), *pairs)

    def bootstrap(self, account: str, region: str, folder: Path, qualifier: str = DEFAULT_QUALIFIER) -> None:
        """Prepare an account and Region for deployments; runs no app.

        A qualifier has a stack of its own: under the same name, it would take the place of the default one.
        """
        place = f"aws://{account}/{region}"
        other = ["--qualifier", qualifier, "--toolkit-stack-name", f"CDKToolkit-{qualifier}"]
        own = other if qualifier != DEFAULT_QUALIFIER else []
        self._run("bootstrapping failed", "bootstrap", place, "--app", str(folder), *own)

    def deploy(self, assembly: Path, *, rollback: bool = True) -> None:
        """Deploy an assembly; without rollback what was made stays when something fails."""
        more = [] if rollback else ["--no-rollback"]
        self._run(
            "the deployment failed", "deploy", "--app", str(assembly), "--require-approval", "never", *more
        )

    def diff(self, assembly: Path) -> None:
        """Compare an assembly with what is deployed."""
        self._run("the comparison failed", "diff", "--app", str(assembly))

    def destroy(self, assembly: Path) -> None:
        """Delete an assembly's stack; the caller has asked already."""
        self._run("the stack was not deleted", "destroy", "--app", str(assembly), "--force")

    def _run(self, failure: str, *arguments: str) -> None:
        """Run the CLI with its output passed through live, on stderr: stdout is for results."""
        status = subprocess.run(
            [str(cdk()), *arguments, *_QUIET],
            cwd=self.app,
            env=self._variables(),
            stdout=sys.stderr,
            check=False,
        ).returncode
        if status:
            raise RehearsalError(f"{failure}: what `cdk {arguments[0]}` said above is why")

    def _variables(self) -> dict[str, str]:
        tools = Path(sys.executable).parent
        node = tools / "node"
        return {
            **os.environ,
            "PATH": os.pathsep.join([str(tools), os.environ.get("PATH", "")]),
            **({"JSII_NODE": str(node)} if node.exists() else {}),
            "CDK_DISABLE_VERSION_CHECK": "1",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            **self.environment,
        }


def cdk() -> Path:
    """The CLI that the project installed, or the one that ULTRACLUSTER_CDK names."""
    path = Path(os.environ.get("ULTRACLUSTER_CDK") or ROOT / "node_modules" / ".bin" / "cdk")
    if not path.exists():
        raise RehearsalError(f"the CDK CLI is not at {path}: run make, or set ULTRACLUSTER_CDK to it", 2)
    return path
