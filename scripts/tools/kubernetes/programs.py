"""The programs of a Kubernetes control plane, built from the Go modules that go.mod locks.

They are built once into the user's cache folder, under the hash of go.mod and go.sum. Charts of the same
projects are copied from their modules, so Helm renders them without their registries.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock
from platformdirs import user_cache_path

HERE = Path(__file__).parent
CHARTS = HERE / "charts.json"

PROGRAMS: Mapping[str, str] = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "kueue": "sigs.k8s.io/kueue/cmd/kueue",
    "jobset": "sigs.k8s.io/jobset",
    "lws": "sigs.k8s.io/lws/cmd",
    "kubeflow-trainer": "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager",
}
"""Package of each program; the program's name is also the name of its chart, if it has one."""

MODULES: Mapping[str, str] = {
    "kubernetes": "k8s.io/kubernetes",
    "etcd": "go.etcd.io/etcd/server/v3",
    "kwok": "sigs.k8s.io/kwok",
}
"""Go module of each program that has no chart."""

Report = Callable[[str], None]


class ProgramsError(Exception):
    """The programs cannot be built; the message is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleChart:
    """A chart in a Go module; `sum` is the module's checksum, as in go.sum.

    `crds` is the folder of its custom resource definitions if the chart has a link, which modules leave out.
    `subcharts` are charts of this file that its folder must contain, whether or not its values install them.
    """

    module: str
    version: str
    path: str
    sum: str
    crds: str | None = None
    subcharts: Sequence[str] = ()


def module_charts() -> dict[str, ModuleChart]:
    """Return the charts by their name in the catalogue."""
    return {name: ModuleChart(**row) for name, row in json.loads(CHARTS.read_bytes())["charts"].items()}


def programs_folder() -> Path:
    """Return the folder of the programs of the locked versions, which may not exist yet."""
    return _folder("go.mod", "go.sum")


def charts_folder() -> Path:
    """Return the folder of the charts of the locked versions, which may not exist yet."""
    return _folder(CHARTS.name)


def _folder(*locks: str) -> Path:
    content = b"".join((HERE / name).read_bytes() for name in locks)
    return user_cache_path("ultracluster") / "kubernetes" / hashlib.sha256(content).hexdigest()[:16]


def module_version(module: str) -> str:
    """Return the locked version of a Go module, such as `v1.36.3`."""
    found = re.search(rf"\s{re.escape(module)} (v\S+)", (HERE / "go.mod").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def is_built() -> bool:
    """Return whether all programs and charts of the locked versions are in the cache."""
    wanted = (
        *(programs_folder() / name for name in PROGRAMS),
        *(charts_folder() / name for name in module_charts()),
    )
    return all(path.exists() for path in wanted)


def build(report: Report = lambda _: None) -> None:
    """Build the programs and copy the charts that the cache lacks.

    A first build takes about six minutes on two cores; an interrupted build continues with the next program.

    Raises:
        ProgramsError: Go is missing or cannot build a program, or a module differs from its checksum.
    """
    if is_built():
        return
    if shutil.which("go") is None:
        raise ProgramsError("Go is not installed: install Go 1.26 or newer")
    programs, charts = programs_folder(), charts_folder()
    programs.mkdir(parents=True, exist_ok=True)
    with FileLock(programs / "lock"):
        for name, package in PROGRAMS.items():
            if not (programs / name).exists():
                report(f"build {name}")
                _build(package, programs / name)
        for name, chart in module_charts().items():
            if not (charts / name).exists():
                report(f"copy the chart {name}")
                _copy(chart, charts / name)


def _build(package: str, program: Path) -> None:
    own = program.with_suffix(f".{os.getpid()}")
    version = module_version(MODULES["kubernetes"])
    major, minor, _ = version.removeprefix("v").split(".")
    stamps = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    # controllers require that the API server reports a version
    flags = ("-s -w", *(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamps.items()))
    _go("build", "-trimpath", f"-ldflags={' '.join(flags)}", "-o", str(own), package, cwd=HERE)
    own.replace(program)


def _copy(chart: ModuleChart, target: Path) -> None:
    # outside a module, since a chart's module need not agree with the versions of the programs
    with tempfile.TemporaryDirectory() as elsewhere:
        wanted = f"{chart.module}@{chart.version}"
        found = json.loads(_go("mod", "download", "-json", wanted, cwd=Path(elsewhere)))
    if found["Sum"] != chart.sum:
        raise ProgramsError(f"{wanted} has the checksum {found['Sum']}, but {CHARTS.name} has {chart.sum}")
    own = target.with_name(f"{target.name}.{os.getpid()}")
    own.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(Path(found["Dir"]) / chart.path, own)
    if chart.crds:
        shutil.copytree(Path(found["Dir"]) / chart.crds, own / "crds")
    for path in (own, *own.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the module cache is read-only
    for name in chart.subcharts:
        shutil.copytree(target.with_name(name), own / "charts" / name)
    own.replace(target)


def _go(*arguments: str, cwd: Path) -> str:
    settings: dict[str, Any] = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOWORK": "off"}
    finished = subprocess.run(
        ["go", *arguments],
        env={**os.environ, **settings},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise ProgramsError(f"go {' '.join(arguments)}: {(finished.stderr or finished.stdout).strip()}")
    return finished.stdout
