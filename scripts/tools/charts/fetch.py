"""Download of charts from their projects, as the lock file pins them."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import urllib.request
from pathlib import Path

import yaml

from config.catalog.kubernetes.charts import Chart

from .helm import HelmError, helm


def packed(chart: Chart, work: Path) -> Path:
    """Download the chart's archive into an empty folder; raise `HelmError` if it differs from its pin."""
    if chart.kind == "git":
        return _packaged(_from_git(chart, work), work)
    if chart.kind == "manifest":
        return _packaged(_from_manifest(chart, work), work)
    source = [chart.repository] if chart.kind == "oci" else [chart.name, "--repo", chart.repository]
    helm("pull", *source, "--version", chart.version, "--destination", str(work))
    (archive,) = work.glob("*.tgz")
    found = digest_of(archive)
    if chart.digest not in (None, found):
        raise HelmError(
            f"{chart.name} {chart.version} has the digest {found}, and the lock file has {chart.digest}"
        )
    return archive


def digest_of(archive: Path) -> str:
    """Return a file's SHA-256 digest in the lock file's format."""
    return f"sha256:{hashlib.sha256(archive.read_bytes()).hexdigest()}"


def unpack(archive: Path, target: Path) -> None:
    """Unpack a chart's archive into an empty folder; if the folder exists, it is deleted first."""
    shutil.rmtree(target, ignore_errors=True)
    with tarfile.open(archive) as content:
        # Python 3.11 has data_filter from version 3.11.4
        content.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in content.getmembers():
            _, _, member.name = member.name.partition("/")
            if member.name:
                content.extract(member, target)


def _packaged(folder: Path, work: Path) -> Path:
    helm("package", str(folder), "--destination", str(work))
    (archive,) = work.glob("*.tgz")
    return archive


def _from_git(chart: Chart, work: Path) -> Path:
    address = f"{chart.repository.replace('github.com', 'codeload.github.com')}/tar.gz/{chart.commit}"
    with urllib.request.urlopen(address) as found:
        content = io.BytesIO(found.read())
    with tarfile.open(fileobj=content) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in archive.getmembers():
            _, _, inner = member.name.partition("/")
            if inner.startswith(f"{chart.path}/"):
                member.name = f"{chart.name}/{inner.removeprefix(f'{chart.path}/')}"
                archive.extract(member, work)
    helm("dependency", "update", str(work / chart.name))
    return work / chart.name


def _from_manifest(chart: Chart, work: Path) -> Path:
    """Create a chart from a plain manifest, without the manifest's Namespace objects."""
    with urllib.request.urlopen(chart.repository) as found:
        documents = [one for one in yaml.safe_load_all(found.read()) if one and one["kind"] != "Namespace"]
    folder = work / chart.name
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(
        yaml.safe_dump({"apiVersion": "v2", "name": chart.name, "version": chart.version})
    )
    # not a template: braces belong to the manifest
    (folder / "manifest.yaml").write_text(yaml.safe_dump_all(documents, sort_keys=False))
    (folder / "templates" / "all.yaml").write_text('{{ .Files.Get "manifest.yaml" }}\n')
    return folder
