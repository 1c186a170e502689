"""Charts are fetched by the real Helm from a repository on this machine, as the lock file pins them."""

from __future__ import annotations

import json
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from config.catalog.kubernetes.charts import read_charts
from scripts.tools.charts.__main__ import main
from scripts.tools.charts.fetch import digest_of, packed, unpack
from scripts.tools.charts.helm import HelmError, helm, template
from scripts.tools.charts.images import images_in
from scripts.tools.charts.lock_file import LOCK, read_lock, rendered

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: one, namespace: "{{ .Release.Namespace }}"}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: main, image: "{{ .Values.image }}"}]
"""


class Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[str]:
    """A chart repository with one chart, `tiny` 1.2.3."""
    chart, served = tmp_path / "tiny", tmp_path / "served"
    (chart / "templates").mkdir(parents=True)
    served.mkdir()
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: tiny\nversion: 1.2.3\n")
    (chart / "values.yaml").write_text("image: registry.k8s.io/tiny:v1.2.3\n")
    (chart / "templates" / "all.yaml").write_text(DEPLOYMENT)
    helm("package", str(chart), "--destination", str(served))
    helm("repo", "index", str(served))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served))) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def lock(repository: str, tmp_path: Path) -> Path:
    """A lock file with that chart alone."""
    row: dict[str, Any] = {
        **read_lock()["rows"]["volcano"],
        "repository": repository,
        "version": "1.2.3",
        "images": None,
    }
    file = tmp_path / "charts.json"
    file.write_text(rendered({"generated": "2026-11-28", "about": "", "rows": {"tiny": row}}))
    return file


def test_the_lock_file_is_written_as_the_command_writes_it() -> None:
    assert LOCK.read_text() == rendered(read_lock())


@pytest.mark.long
def test_locking_writes_the_digest_and_the_images(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lock"], lock) == 0
    row = json.loads(lock.read_text())["rows"]["tiny"]
    assert row["images"] == ["registry.k8s.io/tiny:v1.2.3"]
    assert row["digest"].startswith("sha256:")
    assert capsys.readouterr().out == f"tiny 1.2.3: {row['digest']}, 1 images\n"
    assert main(["lock", "tiny"], lock) == 0
    assert json.loads(lock.read_text())["rows"]["tiny"] == row


def test_a_chart_that_is_not_as_locked_is_refused(
    lock: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(lock.read_text())
    document["rows"]["tiny"]["digest"] = f"sha256:{'0' * 64}"
    lock.write_text(json.dumps(document))
    assert main(["vendor", str(tmp_path / "charts")], lock) == 1
    assert f"the lock file has sha256:{'0' * 64}" in capsys.readouterr().err
    assert not (tmp_path / "charts").exists()


def test_vendoring_fills_a_folder_for_each_chart(lock: Path, tmp_path: Path) -> None:
    assert main(["vendor", str(tmp_path / "charts")], lock) == 0
    assert (tmp_path / "charts" / "tiny" / "Chart.yaml").is_file()
    assert images_in(template(tmp_path / "charts" / "tiny", namespace="n", kubernetes="1.35"))


def test_a_chart_that_is_nowhere_is_reported(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(lock.read_text())
    document["rows"]["tiny"]["version"] = "9.9.9"
    lock.write_text(json.dumps(document))
    assert main(["lock"], lock) == 1
    assert "error: tiny 9.9.9: helm pull tiny" in capsys.readouterr().err


def test_an_unknown_name_is_reported_with_the_known_ones(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["vendor", "folder", "tini"], lock) == 2
    assert "hint: the charts are tiny" in capsys.readouterr().err


@pytest.mark.parametrize(
    "target", ["oci://123456789012.dkr.ecr.us-west-2.amazonaws.com", "https://host", "a b", ""]
)
def test_what_is_no_registry_is_reported_before_anything_is_fetched(
    target: str, lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["push", target], lock) == 2
    reported = capsys.readouterr()
    assert f"{target!r} is not a registry" in reported.err
    assert reported.out == ""


def test_what_is_no_folder_is_reported_before_anything_is_fetched(
    lock: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for target in ("", str(file), str(file / "charts")):
        assert main(["vendor", target], lock) == 2
        assert f"{target!r} is not a folder" in capsys.readouterr().err


def test_a_folder_that_is_no_chart_is_never_deleted(
    lock: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "charts" / "tiny" / "notes.txt"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    assert main(["vendor", str(tmp_path / "charts")], lock) == 1
    assert "exists and is not a chart" in capsys.readouterr().err
    assert own.read_text() == "mine"


def test_a_manifest_becomes_a_chart_without_its_namespace(tmp_path: Path) -> None:
    manifest = tmp_path / "all.yaml"
    manifest.write_text(
        "kind: Namespace\napiVersion: v1\nmetadata: {name: own}\n---\n"
        'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {b: "{{ braces }}"}\n'
    )
    row = {**read_lock()["rows"]["mpi-operator"], "repository": manifest.as_uri()}
    chart = read_charts({"rows": {"mpi-operator": row}})["mpi-operator"]
    work = tmp_path / "work"
    work.mkdir()
    unpack(packed(chart, work), tmp_path / "charts" / "mpi-operator")
    text = template(tmp_path / "charts" / "mpi-operator", namespace="own", kubernetes="1.35")
    assert "{{ braces }}" in text
    assert "Namespace" not in text


def test_images_of_operators_are_found_in_their_three_parts() -> None:
    assert images_in("spec: {dcgm: {repository: nvcr.io/nvidia, image: dcgm, version: 4.6.0}}") == [
        "nvcr.io/nvidia/dcgm:4.6.0"
    ]


def test_an_image_of_a_registry_that_each_region_has_is_reported_by_its_name_there() -> None:
    rendered = "spec: {image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/eks/agent:v1'}"
    assert images_in(rendered) == ["eks/agent:v1"]


def test_helm_says_itself_what_is_wrong() -> None:
    with pytest.raises(HelmError, match="helm pull nothing: Error:"):
        helm("pull", "nothing")


def test_a_digest_is_of_the_whole_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w"):
        pass
    assert digest_of(tmp_path / "a.zip") == (
        "sha256:8739c76e681f900923b900c9df0ef75cf421d39cabb54650c4b9ad19b6a76d85"
    )
