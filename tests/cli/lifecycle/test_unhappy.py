"""What must not end in a loss: answers of services that are not what a good day has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from config.design.slurm.node_names import expand, hostlist
from scripts.cli.lifecycle import file_systems as systems_of
from scripts.cli.lifecycle.drain import moment_from
from scripts.cli.lifecycle.exports import ExportOptions, losses
from scripts.cli.lifecycle.file_systems import FileSystem, Linked, each
from scripts.cli.lifecycle.kubernetes import KubernetesScheduler
from scripts.cli.lifecycle.kubernetes_queues import HELD
from scripts.cli.lifecycle.scheduler import EVERYTHING, Scope
from scripts.cli.lifecycle.slurm import REASON, SlurmScheduler
from scripts.cli.lifecycle.where import Where
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cloud.simulation.kubernetes import merged
from tests.cloud.sandbox import REGION

NOW = datetime(2027, 1, 18, 11, 0, tzinfo=UTC)


class Shell:
    """A node on which Slurm's programs say what they are told to, and no more than Run Command keeps."""

    programs = ""

    def __init__(self, **answers: str) -> None:
        self.answers, self.commands = answers, list[str]()

    def run(self, command: str) -> str:
        self.commands.append(command)
        return self.answers.get(command.split()[0], "")[:24_000]


def slurm(**answers: str) -> tuple[SlurmScheduler, Shell]:
    shell = Shell(**answers)
    return SlurmScheduler(shell, lambda group, there: sorted(there)), shell


def test_a_job_that_slurm_counts_in_thousands_runs_as_any_other() -> None:
    scheduler, shell = slurm(squeue="7|ada|1K|2:00:00|pretrain\n")
    assert [job.id for job in scheduler.running(EVERYTHING)] == ["7"]
    assert "--noconvert" in shell.commands[0]


def test_what_squeue_says_and_nobody_can_read_is_not_taken_for_no_jobs() -> None:
    scheduler, _ = slurm(squeue="slurm_load_jobs error: Unable to contact slurm controller\n")
    with pytest.raises(RehearsalError, match="the output of squeue cannot be read"):
        scheduler.running(EVERYTHING)


def test_an_answer_that_was_cut_loses_its_last_line_and_nothing_else() -> None:
    scheduler, _ = slurm(squeue="7|ada|1|2:00|one\n71|ad")
    assert [job.id for job in scheduler.running(EVERYTHING)] == ["7"]


def test_every_node_of_a_large_cluster_is_held_and_released() -> None:
    names = [f"p6-b200-train-{i}" for i in range(1, 2049)]
    scheduler, shell = slurm(sinfo=f"{hostlist(names)}|idle|none\n")
    assert len(scheduler.hold(Scope(groups=("train",)))) == 2048
    assert "--Node" not in shell.commands[0], "a line for each would be cut"
    scheduler, _ = slurm(sinfo=f"{hostlist(names)}|drained|{REASON}\n")
    assert len(scheduler.release(Scope(groups=("train",)))) == 2048
    assert sorted(expand(hostlist(names))) == sorted(names)


def linked(path: str = "/", *, exports: bool = True, whole: bool = True, fault: str = "") -> Linked:
    return Linked(path=path, repository="s3://b", exports=exports, whole=whole, fault=fault)


def system(*links: Linked) -> FileSystem:
    return FileSystem(id="fs-1", name="lustre", kind="LUSTRE", goes=True, links=links, backup=None)


def test_a_link_that_exports_only_new_files_leaves_the_changed_ones_behind() -> None:
    assert not losses([system(linked())], ExportOptions())
    (reported,) = losses([system(linked(whole=False))], ExportOptions())
    assert reported.endswith("and only some new or changed files in / are exported to S3")


def test_a_link_that_is_broken_is_reported_before_jobs_are_stopped() -> None:
    (reported,) = losses([system(linked(fault="MISCONFIGURED, no permission"))], ExportOptions())
    assert "the export of / to s3://b does not work" in reported
    assert not losses([system(linked(fault="MISCONFIGURED"))], ExportOptions(allowed=("fs-1",)))


@pytest.mark.parametrize(
    ("events", "whole"), [(["NEW", "CHANGED", "DELETED"], True), (["NEW"], False), (["DELETED"], False)]
)
def test_whether_a_link_exports_everything_follows_from_its_events(events: list[str], whole: bool) -> None:
    link = {
        "FileSystemPath": "/",
        "DataRepositoryPath": "s3://b",
        "Lifecycle": "AVAILABLE",
        "S3": {"AutoExportPolicy": {"Events": events}},
    }
    reported = {"Associations": [link], "NextToken": None}
    fsx = SimpleNamespace(describe_data_repository_associations=lambda **_: reported)
    (found,) = systems_of.links_from(fsx, "fs-1")
    assert (found.exports, found.whole) == (True, whole)


@pytest.mark.parametrize(
    ("kind", "counts"), [("USER_INITIATED", True), ("AWS_BACKUP", True), ("AUTOMATIC", False)]
)
def test_a_backup_that_is_deleted_with_its_file_system_is_none(kind: str, counts: bool) -> None:
    backup = {
        "Lifecycle": "AVAILABLE",
        "Type": kind,
        "CreationTime": NOW,
        "FileSystem": {"FileSystemId": "fs-1"},
    }
    pages = SimpleNamespace(paginate=lambda **_: [{"Backups": [backup]}])
    fsx = SimpleNamespace(get_paginator=lambda _: pages)
    where = cast("Where", SimpleNamespace(now=lambda: NOW))
    assert (systems_of._backup(where, fsx, "fs-1") is not None) is counts


def test_pages_that_have_no_end_are_refused() -> None:
    with pytest.raises(RehearsalError, match="do not end"):
        list(each(lambda **_: {"Associations": [], "NextToken": "again"}, "Associations"))


def test_a_moment_of_last_year_is_a_slip_of_the_pen_and_one_of_this_morning_is_not() -> None:
    where = cast("Where", SimpleNamespace(now=lambda: NOW))
    with pytest.raises(RehearsalError, match=r"passed 365 d ago \(in UTC\)"):
        moment_from(where, (NOW - timedelta(days=365)).strftime("%Y-%m-%dT%H:%MZ"))
    assert moment_from(where, (NOW - timedelta(hours=6)).strftime("%Y-%m-%dT%H:%MZ")) is not None


class Queues:
    """An API that has one queue, and answers Volcano's commands."""

    def __init__(self, path: str, spec: dict[str, Any], state: str = "Open") -> None:
        self.path = path
        self.queue: dict[str, Any] = {
            "metadata": {"name": "train"},
            "spec": spec,
            "status": {"state": state},
        }

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        if method == "POST" and path.endswith("/commands"):
            self.queue["status"]["state"] = {"CloseQueue": "Closed", "OpenQueue": "Open"}[body["action"]]
            return 201, {}
        if path.startswith(self.path):
            if method == "PATCH":
                self.queue = merged(self.queue, body)
            return 200, {"kind": "QueueList", "apiVersion": "v1", "items": [self.queue]}
        if path.startswith("/api/v1/nodes"):
            return 200, {"items": []}
        return 404, {"message": "not found"}


KAI = "/apis/scheduling.run.ai/v2/queues"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
VOLCANO = "/apis/scheduling.volcano.sh/v1beta1/queues"


def kubernetes(api: Queues) -> KubernetesScheduler:
    return KubernetesScheduler(api, "mine", REGION, ("train",))


@pytest.mark.parametrize(
    ("path", "spec"),
    [
        (KAI, {"parentQueue": "all"}),
        (KAI, {"parentQueue": "all", "resources": {"gpu": {"quota": 8}}}),
        (KAI, {"parentQueue": "all", "resources": {"gpu": {"limit": 0}, "cpu": {"limit": -1}}}),
        (KUEUE, {}),
        (VOLCANO, {}),
    ],
)
def test_a_queue_goes_back_to_exactly_what_it_was(path: str, spec: dict[str, Any]) -> None:
    api = Queues(path, spec)
    assert kubernetes(api).hold(EVERYTHING)
    assert kubernetes(api).hold(EVERYTHING) == ()
    assert kubernetes(api).release(EVERYTHING)
    assert {name: one for name, one in api.queue["spec"].items() if one} == spec
    assert api.queue["status"]["state"] == "Open"
    assert HELD not in api.queue["metadata"].get("annotations", {})
    assert kubernetes(api).release(EVERYTHING) == ()


def test_a_queue_that_somebody_else_has_closed_stays_so() -> None:
    for api in (Queues(VOLCANO, {}, "Closed"), Queues(KUEUE, {"stopPolicy": "Hold"})):
        assert kubernetes(api).hold(EVERYTHING) == ()
        assert kubernetes(api).release(EVERYTHING) == ()
        assert (api.queue["status"]["state"], api.queue["spec"]) in (
            ("Closed", {}),
            ("Open", {"stopPolicy": "Hold"}),
        )


def test_what_somebody_has_changed_while_a_queue_was_held_is_theirs() -> None:
    api = Queues(KUEUE, {})
    kubernetes(api).hold(EVERYTHING)
    api.queue["spec"]["stopPolicy"] = "HoldAndDrain"
    kubernetes(api).release(EVERYTHING)
    assert api.queue["spec"] == {"stopPolicy": "HoldAndDrain"}
    assert HELD not in api.queue["metadata"]["annotations"]
