"""Run the CDK CLI as a child process, with Node from the Python environment and without telemetry."""

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
# without these options, the CLI waits for the network
_QUIET = ("--no-notices", "--no-version-reporting")


def seen_from_the_app(profile: str, app: Path) -> str:
    """Return the profile's path in the form that a CDK app in another folder can read."""
    file = Path(profile).expanduser()
    if not profile or profile in built_in_names() or not file.is_file() or Path.cwd() == app:
        return profile
    return str(file.resolve())


@dataclass(frozen=True)
class Toolkit:
    """The CDK CLI. `app` is the folder of the CDK app, which contains cdk.json."""

    app: Path
    environment: Mapping[str, str]

    def synth(self, context: Mapping[str, str], output: Path) -> None:
        """Write the cloud assembly of a profile."""
        pairs = [part for key, value in context.items() for part in ("--context", f"{key}={value}")]
        self._run("the profile could not be synthesized", "synth", "--quiet", "--output", str(output), *pairs)

    def bootstrap(self, account: str, region: str, folder: Path, qualifier: str = DEFAULT_QUALIFIER) -> None:
        """Bootstrap an account and Region, without an app.

        Each qualifier has its own bootstrap stack, so that the default qualifier's stack is not replaced.
        """
        place = f"aws://{account}/{region}"
        other = ["--qualifier", qualifier, "--toolkit-stack-name", f"CDKToolkit-{qualifier}"]
        own = other if qualifier != DEFAULT_QUALIFIER else []
        self._run("bootstrapping failed", "bootstrap", place, "--app", str(folder), *own)

    def deploy(self, assembly: Path, *, rollback: bool = True) -> None:
        """Deploy an assembly; without rollback, created resources are retained after a failure."""
        more = [] if rollback else ["--no-rollback"]
        self._run(
            "the deployment failed", "deploy", "--app", str(assembly), "--require-approval", "never", *more
        )

    def diff(self, assembly: Path) -> None:
        """Compare an assembly with the deployed stack."""
        self._run("the comparison failed", "diff", "--app", str(assembly))

    def destroy(self, assembly: Path) -> None:
        """Delete an assembly's stack without a prompt; the caller has confirmed already."""
        self._run("the stack was not deleted", "destroy", "--app", str(assembly), "--force")

    def _run(self, failure: str, *arguments: str) -> None:
        """Run the CLI and pass its output to stderr; stdout is for results."""
        status = subprocess.run(
            [str(cdk()), *arguments, *_QUIET],
            cwd=self.app,
            env=self._variables(),
            stdout=sys.stderr,
            check=False,
        ).returncode
        if status:
            raise RehearsalError(f"{failure}: see the output of `cdk {arguments[0]}` above")

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
    """Return the path of the CDK CLI: ULTRACLUSTER_CDK, or the CLI that the project has installed."""
    path = Path(os.environ.get("ULTRACLUSTER_CDK") or ROOT / "node_modules" / ".bin" / "cdk")
    if not path.exists():
        raise RehearsalError(f"the CDK CLI does not exist at {path}: run `make`, or set ULTRACLUSTER_CDK", 2)
    return path
