"""Release archives of what nodes run for their metrics: pinned, locked, and fetched by nodes as locked."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from config.catalog.observability.artefacts import MACHINES, Archive, artefacts
from config.catalog.observability.metrics import metrics
from scripts.tools.artefacts.__main__ import main
from scripts.tools.artefacts.lock_file import LOCK, read_lock
from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import Node, needs_bash
from tests.observability.nodes.collecting import collecting_bundle
from tests.tools.catalogue.check import SOURCE

ARCHIVES = artefacts().archives.values()
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/releases/download/v\{version\}/\{file\}")


class Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def packed(program: str, inside: str = "") -> bytes:
    """A release archive with one program."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as archive:
        content = b"#!/bin/sh\necho it runs\n"
        member = tarfile.TarInfo(f"{inside}{program}")
        member.size, member.mode = len(content), 0o755
        archive.addfile(member, io.BytesIO(content))
    return into.getvalue()


@pytest.fixture
def releases(tmp_path: Path) -> Path:
    """A folder with an archive for each that is pinned."""
    folder = tmp_path / "releases"
    folder.mkdir()
    for archive in ARCHIVES:
        for machine in archive.sha256:
            inside = "" if archive.name == "slurm-exporter" else f"{archive.program}-{archive.version}/"
            (folder / archive.file_of(machine)).write_bytes(packed(archive.program, inside))
    return folder


@pytest.fixture
def server(releases: Path) -> Iterator[str]:
    """That folder on this machine's network."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(releases))) as served:
        threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


@pytest.fixture
def lock(server: str, tmp_path: Path) -> Path:
    """A lock file whose archives lie there, and which nobody has locked."""
    document = read_lock()
    for row in document["archives"].values():
        row["address"] = f"{server}/{{file}}"
        row["sha256"] = dict.fromkeys(row["sha256"])
    file = tmp_path / "artefacts.json"
    file.write_text(json.dumps(document))
    return file


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda archive: archive.name)
def test_obs_15_a_program_is_a_release_of_one_version_for_both_machines(archive: Archive) -> None:
    assert ADDRESS.fullmatch(archive.address)
    assert set(archive.sha256) == set(MACHINES.values())
    assert archive.file_of("amd64").count(archive.version) == 1
    assert all(re.fullmatch(r"[0-9a-f]{64}", found) for found in archive.sha256.values() if found)
    assert all(SOURCE.match(source) for source in archive.sources)
    assert archive.locked or archive.note


def test_versions_are_those_that_the_metric_table_is_about() -> None:
    exporters = metrics().exporters
    for exporter, archive in (
        ("node", "node-exporter"),
        ("slurm-exporter", "slurm-exporter"),
        ("fsx", "yace"),
    ):
        assert exporters[exporter].version == artefacts().archives[archive].version
    assert artefacts().images["dcgm-exporter"].tag.startswith(f"{exporters['dcgm'].version}-")


def test_the_lock_file_is_written_as_it_is_read() -> None:
    assert LOCK.read_text() == json.dumps(read_lock(), indent=2, ensure_ascii=False) + "\n"


def test_lock_writes_the_sum_of_every_archive_and_again_changes_nothing(lock: Path, releases: Path) -> None:
    for _ in range(2):
        assert main(["lock"], lock) == 0
        for archive in ARCHIVES:
            locked = read_lock(lock)["archives"][archive.name]["sha256"]
            assert locked == {
                machine: sha256((releases / archive.file_of(machine)).read_bytes())
                for machine in archive.sha256
            }


def test_lock_refuses_what_its_project_says_is_another(
    lock: Path, releases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = artefacts().archives["prometheus"].file_of("amd64")
    (releases / "sha256sums.txt").write_text(f"{'0' * 64}  {file}\n")
    assert main(["lock"], lock) == 1
    assert f"error: {file}: its SHA-256 is " in capsys.readouterr().err
    found = read_lock(lock)["archives"]["prometheus"]["sha256"]
    assert (found["amd64"], bool(found["arm64"])) == (None, True)


def test_fetch_fills_a_folder_and_leaves_out_what_is_not_as_locked(
    lock: Path, releases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["lock"], lock)
    changed = artefacts().archives["yace"].file_of("arm64")
    (releases / changed).write_bytes(packed("yace", "another/"))
    target = tmp_path / "mirror"
    assert main(["fetch", str(target)], lock) == 1
    assert f"error: {changed}: " in capsys.readouterr().err
    assert {file.name for file in target.iterdir()} == {file.name for file in releases.iterdir()} - {changed}


def collecting(make: MakeNode, server: str, sums: Path | None) -> Node:
    """A node whose downloads are on this machine, with the sums of a folder's archives, or none."""
    node = prepared(make(collecting_bundle()))
    node.has("slurm")
    node.runs()
    file = node.root / "opt/ultracluster/metrics-settings.env"
    lines = [
        f"{archive.name} x86_64 {archive.file_of('amd64')} {server}/{archive.file_of('amd64')} "
        + (sha256((sums / archive.file_of("amd64")).read_bytes()) if sums else "-")
        for archive in ARCHIVES
    ]
    text = "\n".join(lines)
    file.write_text(re.sub(r"METRICS_ARTEFACTS='[^']*'", f"METRICS_ARTEFACTS='{text}'", file.read_text()))
    return node


def keeps(node: Node) -> str:
    run = node.runs("metrics.sh", "keep")
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@needs_bash
def test_a_node_fetches_what_is_locked_once(make: MakeNode, server: str, releases: Path) -> None:
    node = collecting(make, server, releases)
    node.has("controller")
    said = keeps(node)
    assert said.count("installed ") == 4
    for program in ("node_exporter", "prometheus", "slurm_exporter", "yace"):
        assert node.text(f"opt/ultracluster/bin/{program}") == "#!/bin/sh\necho it runs\n"
    assert "installed " not in keeps(node)


@pytest.mark.long
@needs_bash
def test_a_node_refuses_another_archive_and_asks_for_it_no_more_for_an_hour(
    make: MakeNode, server: str, releases: Path
) -> None:
    node = collecting(make, server, releases)
    name = artefacts().archives["prometheus"].file_of("amd64")
    (releases / name).write_bytes(packed("prometheus", "another/"))
    said = keeps(node)
    assert f"does not have the locked checksum of {name}: prometheus does not run" in said
    assert not (node.root / "opt/ultracluster/bin/prometheus").exists()
    assert (node.root / "opt/ultracluster/bin/node_exporter").exists()
    assert "prometheus" not in keeps(node)
    assert not (node.root / "etc/systemd/system/ultracluster-prometheus.service").exists()


@pytest.mark.long
@needs_bash
def test_a_node_says_what_nobody_has_locked(make: MakeNode, server: str) -> None:
    said = keeps(collecting(make, server, None))
    assert said.count("has no locked checksum: it is installed without verification") == 2


@pytest.mark.parametrize(
    ("downloads", "expected"),
    [
        ("https://mirror.example.com/metrics/", "https://mirror.example.com/metrics/{}"),
        ("s3://my-bucket/metrics", "s3://my-bucket/metrics/{}"),
    ],
)
def test_a_place_of_ones_own_has_the_archives_under_their_own_names(downloads: str, expected: str) -> None:
    text = collecting_bundle(collection={"downloads": downloads}).files["metrics-settings.env"]
    assert "github.com" not in text
    for archive in ARCHIVES:
        assert f" {expected.format(archive.file_of('arm64'))} " in text
    image = "dcgm-exporter-4.5.3-4.8.2-distroless.linux-amd64.tar.gz"
    assert f"x86_64={expected.format(image)}" in text


@pytest.mark.long
@needs_bash
def test_a_bucket_of_ones_own_is_read_with_the_nodes_role(make: MakeNode) -> None:
    node = prepared(make(collecting_bundle(collection={"downloads": "s3://my-bucket/metrics"})))
    node.has("slurm")
    node.runs()
    keeps(node)
    file = artefacts().archives["node-exporter"].file_of("amd64")
    call = f"aws s3 cp --only-show-errors --region us-west-2 s3://my-bucket/metrics/{file}"
    assert [found for found in node.calls("aws") if found.startswith(call)]
