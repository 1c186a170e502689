"""What every suite shares: one jsii kernel and one synthesized template for each built-in profile."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import gc
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import settings

if TYPE_CHECKING:
    from config.cluster import Cluster

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOTS = ROOT / "tests" / "snapshots"

# fixtures that tests of every room use
pytest_plugins = [
    "tests.profile.fixtures",
    "tests.cloud.fixtures",
    "tests.nodes.fixtures",
    "tests.storage.failures.fixtures",
]

# One gate (tests/stack/test_validation_gate.py) runs CDK's own validation; it costs a second a synth.
os.environ.setdefault("CDK_VALIDATION", "false")

# Readline, which pytest imports, writes the terminal's size into the environment of every process that it
# starts, and of its workers: output would be as for a terminal.
for size in ("COLUMNS", "LINES"):
    os.environ.pop(size, None)


# how long an example takes depends on what else the machine does
settings.register_profile("unhurried", parent=settings.default, deadline=None)
settings.load_profile("unhurried")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than cores for `auto`: some long tests wait for daemons and for the CDK CLI."""
    more = 1 if config.option.numprocesses == "auto" else 0
    return min(4, (os.cpu_count() or 1) + more)


def pytest_sessionfinish() -> None:
    """Collect all garbage once: pytest does it five times, which takes seconds in a worker of this suite."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots", action="store_true", help="write tests/snapshots anew instead of comparing"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the rows of a table that are not in its sample as long, and put files with deployments first."""
    tables = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("long"):
            tables[item.nodeid.partition("[")[0]].append(item)
    for rows in tables.values():
        marker = rows[0].get_closest_marker("sample")
        assert marker is not None
        quick = sampled(marker.args[0], len(rows))
        for number in {*range(len(rows))} - quick:
            rows[number].add_marker(pytest.mark.long)
    slow = {item.path for item in items if item.get_closest_marker("cloud")}
    items.sort(key=lambda item: item.path not in slow)


def sampled(rows: int, of: int) -> set[int]:
    """The numbers of so many rows, spread over a table."""
    return {number for number in range(of) if number * rows // of != (number - 1) * rows // of}


@dataclass(frozen=True)
class Synthesized:
    """One synthesized stack: its template as text and data, its folder, and what it took of jsii."""

    name: str
    folder: Path
    text: str
    template: dict[str, Any]
    round_trips: int

    def resources(self, kind: str) -> dict[str, dict[str, Any]]:
        """The resources of one CloudFormation type, by logical id."""
        return {key: value for key, value in self.template["Resources"].items() if value["Type"] == kind}

    def only(self, kind: str) -> dict[str, Any]:
        """The properties of the one resource of its type."""
        (resource,) = self.resources(kind).values()
        properties: dict[str, Any] = resource["Properties"]
        return properties


@pytest.fixture(scope="session")
def synthesized(tried: Callable[[str, str | None], Synthesized]) -> Callable[[str], Synthesized]:
    """Synthesize a profile by name or path, once in the whole run: the workers share what one has made."""
    return lambda given: tried(given, None)


@pytest.fixture(scope="session")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str | None], Synthesized]:
    """The same under another control plane, or None for the profile's own."""
    folder = shared_folder(tmp_path_factory) / "synthesized"
    folder.mkdir(exist_ok=True)

    @functools.cache
    def synthesize_once(given: str, orchestrator: str | None) -> Synthesized:
        from config.cluster import load_cluster

        cluster = load_cluster(given, orchestrator=orchestrator)
        assert cluster.design is not None, [d.message for d in cluster.diagnostics]
        name = cluster.design.profile.name
        out = folder / hashlib.sha256(f"{given} {orchestrator}".encode()).hexdigest()[:16]
        with alone(out.with_suffix(".lock")):
            if not out.exists():
                synthesize_into(out, cluster)
        text = (out / f"{name}.template.json").read_text(encoding="utf-8")
        trips = int(_trips_of(out).read_text())
        return Synthesized(name=name, folder=out, text=text, template=json.loads(text), round_trips=trips)

    return synthesize_once


def of_snapshot(name: str) -> Cluster:
    """The cluster whose template a snapshot is: `p6-b200`, or `p6-b200.pcs` for one tried under PCS."""
    from config.cluster import load_cluster

    profile, _, orchestrator = name.partition(".")
    return load_cluster(profile, orchestrator=orchestrator or None)


def read_table(file: Path) -> Any:
    """A YAML file as data, by the parser in C where there is one: every worker reads each table once."""
    return yaml.load(file.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run that all its workers have."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One worker at a time."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def synthesize_into(out: Path, cluster: Cluster) -> None:
    """The folder appears when it is complete: an interrupted synthesis leaves nothing to be taken for one."""
    from tests.stack.round_trips import synthesized

    part = Path(f"{out}.part")
    _trips_of(out).write_text(str(synthesized(cluster, str(part))))
    part.rename(out)


def _trips_of(out: Path) -> Path:
    return out.with_name(f"{out.name}.round-trips")
