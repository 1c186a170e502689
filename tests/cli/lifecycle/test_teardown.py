"""`ultracluster teardown`: jobs end, S3 has everything, the stack goes and data stays; else it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts.cli.lifecycle import exports
from scripts.cli.lifecycle import teardown as stages
from scripts.cli.lifecycle.exports import ExportOptions
from scripts.cli.lifecycle.reporter import Reporter
from scripts.cli.lifecycle.scheduler import EVERYTHING
from scripts.cli.lifecycle.teardown import TeardownOptions, teardown
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cloud.local import local_cloud
from tests.cli.lifecycle.deployed import ORCHESTRATORS, DeployedCluster, Interrupt, as_events, profile_of
from tests.cloud.sandbox import Sandbox

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

FILE_SYSTEM = "AWS::FSx::FileSystem"
EXPORTS = {"path": "/", "bucket": "new", "export": ["new", "changed", "deleted"]}
IMPORTS = {"path": "/", "bucket": "new", "import": ["new"]}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def disposable(links: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    """A file system alone that goes with its stack, with these links to S3."""
    lustre = {"capacity_gib": 9600, "data_repositories": links or []}
    return {
        "extends": "p6-b200-data",
        "name": "life",
        "region": "us-west-2",
        "availability_zone_id": "usw2-az1",
        "network": {"secondary_zones": ["usw2-az2"]},
        "disposable": True,
        "storage": {"lustre": lustre},
        "orchestrator": None,
        "compute": None,
        **more,
    }


def system_of(cluster: DeployedCluster) -> str:
    (found,) = cluster.sandbox.ids("life", FILE_SYSTEM).values()
    return found


def torn_down(cluster: DeployedCluster, **options: Any) -> None:
    chosen = TeardownOptions(**{"confirm": "life", **options})
    teardown(cluster.where, chosen, cluster.reported.teller, lambda stack: stack)


def refused(cluster: DeployedCluster, **options: Any) -> str:
    with pytest.raises(RehearsalError) as error:
        torn_down(cluster, **options)
    assert cluster.sandbox.stack("life") is not None
    return str(error.value)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_jobs_and_exports_end_before_the_stack_goes_and_files_stay(sandbox: Sandbox, kind: str) -> None:
    cluster = DeployedCluster(sandbox, profile_of(kind))
    system = system_of(cluster)
    job, late = cluster.submit(writes={system: 3000}), cluster.submit("late", after_s=60)
    torn_down(cluster)
    assert cluster.sandbox.stack("life") is None
    assert job.ended_at is not None
    assert job.due is not None
    assert job.ended_at >= job.due
    assert late.started_at is None
    files = cluster.simulation.files[system]
    assert (round(files.exported), files.queued, files.unlinked, files.lost) == (3000, 0, 0, 0)
    (there,) = sandbox.client("fsx").describe_file_systems()["FileSystems"]
    assert there["FileSystemId"] == system
    stages = [line for line in cluster.reported.lines if line.startswith("[")]
    assert [line.split()[1] for line in stages] == ["hold:", "jobs:", "export:", "destroy:", "left:"]
    assert f"file_system_id: {system}" in cluster.reported.lines[-1]
    assert "aws fsx create-data-repository-association" in cluster.reported.lines[-1]
    cluster.reported.lines.clear()
    torn_down(cluster)  # once more: says again what it has left
    assert "life is already deleted; its file systems are retained" in cluster.reported.text
    assert system in cluster.reported.text


@pytest.mark.long
def test_a_plan_changes_nothing_and_names_every_stage(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, profile_of("pcs"))
    job = cluster.submit()
    before = dict(cluster.simulation.partitions)
    lines: list[str] = []
    chosen = TeardownOptions(dry_run=True, deadline="90m")
    teardown(cluster.where, chosen, Reporter(as_json=True, object=lines.append), lambda stack: stack)
    events = as_events(lines)
    assert [one["stage"] for one in events if one["event"] == "stage"] == [
        "hold",
        "jobs",
        "export",
        "destroy",
        "left",
    ]
    assert next(one for one in events if one["event"] == "jobs")["jobs"] == 1
    assert next(one for one in events if one["event"] == "deadline")["text"].endswith("1 h 30 min from now")
    assert job.is_running
    assert cluster.simulation.partitions == before
    assert cluster.sandbox.stack("life").protected

    reported = refused(cluster, deadline="5m")  # the jobs go on past it
    assert "the deadline has passed and 1 job still runs" in reported
    assert "ultracluster drain life --release" in reported
    assert job.is_running
    lines.clear()
    torn_down(cluster, deadline="5m", cancel_jobs=True)
    assert job.ended_at is not None


def test_another_name_than_the_stacks_is_refused(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([EXPORTS]))
    assert "'live' is not the stack's name 'life'; the stack was not destroyed" in refused(
        cluster, confirm="live"
    )
    with pytest.raises(RehearsalError, match="'no' is not the stack's name 'life'"):
        teardown(cluster.where, TeardownOptions(), cluster.reported.teller, lambda stack: "no")
    assert cluster.reported.lines[0].startswith("destroying life ")


@pytest.mark.long
def test_a_stack_that_is_not_there_and_has_left_nothing_is_refused(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([EXPORTS]))
    torn_down(cluster)
    with pytest.raises(RehearsalError, match="the stack life does not exist in us-west-2"):
        torn_down(cluster)


@pytest.mark.long
def test_a_file_system_that_goes_with_files_that_no_link_exports_is_refused_until_it_may_be_lost(
    sandbox: Sandbox,
) -> None:
    cluster = DeployedCluster(sandbox, disposable())
    reported = refused(cluster)
    assert "is deleted with the stack, and its files are not exported to S3" in reported
    assert "--allow-data-loss lustre" in reported
    reported = refused(cluster, exports=ExportOptions(allowed=("lsutre",)))
    assert "the stack has no file system lsutre; it has lustre" in reported
    torn_down(cluster, exports=ExportOptions(allowed=("lustre",)))
    assert cluster.sandbox.stack("life") is None


@pytest.mark.long
def test_a_path_that_exports_is_not_the_whole_file_system(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([{**EXPORTS, "path": "/checkpoints"}]))
    assert "and only /checkpoints is exported to S3" in refused(cluster)


@pytest.mark.long
def test_a_backup_of_the_last_day_counts_and_an_older_one_does_not(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable())
    sandbox.client("fsx").create_backup(FileSystemId=system_of(cluster))
    assert "its files are not exported to S3" in refused(cluster), "it is being made"
    cluster.simulation.advance(25 * 3600)
    assert "its files are not exported to S3" in refused(cluster)
    cluster.simulation.passed_s -= 2 * 3600
    torn_down(cluster)
    assert "backup from " in cluster.reported.text


@pytest.mark.long
def test_what_is_linked_is_exported_by_a_task_where_that_is_wanted(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([IMPORTS]))
    system = system_of(cluster)
    cluster.simulation.write(system, 1200)
    assert "or export the linked paths to S3 first, with --export" in refused(cluster)
    torn_down(cluster, exports=ExportOptions(by_task=True))
    files = cluster.simulation.files[system]
    assert (files.exported, files.lost) == (1200, 0)
    assert "is EXECUTING, 0 of 1200 files" in cluster.reported.text
    assert "exported by task-" in cluster.reported.text


@pytest.mark.long
def test_files_that_a_task_cannot_export_are_reported_with_their_report(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([IMPORTS]))
    system = system_of(cluster)
    cluster.simulation.write(system, 1200)
    cluster.simulation.files[system].failing = 3
    reported = refused(cluster, exports=ExportOptions(by_task=True))
    assert "FAILED (3 files failed), 3 files failed" in reported
    assert "lists the failed files with the reasons" in reported
    cluster.simulation.files[system].failing = 0
    torn_down(cluster, exports=ExportOptions(by_task=True))
    assert cluster.simulation.files[system].lost == 0


@pytest.mark.long
def test_an_export_that_is_stuck_is_reported_and_not_waited_for(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([EXPORTS]))
    system = system_of(cluster)
    cluster.simulation.write(system, 10)
    cluster.simulation.files[system].stuck = "the bucket's notifications were changed"
    reported = refused(cluster)
    assert "does not work (MISCONFIGURED, the bucket's notifications were changed)" in reported
    cluster.simulation.files[system].stuck = ""
    torn_down(cluster)
    assert cluster.simulation.files[system].lost == 0


@pytest.mark.long
def test_files_that_still_wait_at_the_deadline_are_refused(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([EXPORTS]))
    cluster.simulation.write(system_of(cluster), 100_000)
    reported = refused(cluster, export_deadline="10m")
    assert "the deadline has passed and files are still in the export queue" in reported
    torn_down(cluster)
    assert cluster.simulation.files == {} or all(
        not files.lost for files in cluster.simulation.files.values()
    )


@pytest.mark.long
def test_a_deletion_that_failed_goes_on(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([EXPORTS]))
    fsx, system = sandbox.client("fsx"), system_of(cluster)
    subnet = fsx.describe_file_systems()["FileSystems"][0]["SubnetIds"][0]
    interface = sandbox.client("ec2").create_network_interface(SubnetId=subnet)["NetworkInterface"]
    with pytest.raises(RehearsalError, match="the stack was not deleted") as error:
        torn_down(cluster)
    assert "run the same command again: ultracluster teardown life" in str(error.value)
    assert cluster.sandbox.stack("life").status == "DELETE_FAILED"
    assert system not in str(fsx.describe_file_systems()["FileSystems"])
    sandbox.client("ec2").delete_network_interface(NetworkInterfaceId=interface["NetworkInterfaceId"])
    torn_down(cluster)
    assert cluster.sandbox.stack("life") is None


def until_it_is_over(cluster: DeployedCluster, steps: list[int], **options: Any) -> int:
    """Run the command again and again, stopped after so many steps each time; gives how often."""
    runs = 0
    for after in [*steps, 0]:
        runs += 1
        cluster.interrupt = Interrupt(after)
        try:
            torn_down(cluster, **options)
        except KeyboardInterrupt:
            continue
        except RehearsalError as error:
            assert "there is no stack" in str(error), str(error)  # noqa: PT017 - gone, and has left nothing
        break
    cluster.interrupt = None
    return runs


@pytest.mark.long
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(st.integers(1, 40), max_size=6),
    files=st.integers(0, 3000),
    lasts_s=st.integers(0, 900),
)
def test_stopped_anywhere_and_run_again_it_comes_to_the_same_end_and_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], files: int, lasts_s: int
) -> None:
    with local_cloud() as cloud:
        profile = profile_of("pcs", disposable=True, storage=disposable([EXPORTS])["storage"])
        cluster = DeployedCluster(Sandbox(cloud, tmp_path_factory.mktemp("life")), profile)
        system = system_of(cluster)
        job = cluster.submit(duration_s=float(lasts_s), writes={system: files})
        late = cluster.submit("late", after_s=3 * 3600, writes={system: 5})
        until_it_is_over(cluster, steps)
        assert cluster.sandbox.stack("life") is None
        assert job.ended_at is not None
        assert late.started_at is None
        there = cluster.simulation.files.get(system)
        assert there is None or (round(there.exported), there.lost) == (files, 0)


@pytest.mark.long
def test_jobs_that_start_while_files_go_to_s3_are_waited_for_too(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = DeployedCluster(
        sandbox, profile_of("pcs", disposable=True, storage=disposable([EXPORTS])["storage"])
    )
    system = system_of(cluster)
    late: list[Any] = []

    def deployed_between(*args: Any) -> None:
        exports.export(*args)
        if not late:  # somebody deploys: the hold is lost
            cluster.scheduler.release(EVERYTHING)
            late.append(cluster.submit("late", writes={system: 500}))

    monkeypatch.setattr(stages, "export", deployed_between)
    torn_down(cluster)
    assert "jobs have started during the exports: late" in cluster.reported.text
    (job,) = late
    assert job.due is not None
    assert job.ended_at is not None
    assert job.ended_at >= job.due
    there = cluster.simulation.files.get(system)
    assert there is None or there.lost == 0


def test_a_stack_that_is_being_updated_is_refused_before_anything_is_held(sandbox: Sandbox) -> None:
    cluster = DeployedCluster(sandbox, disposable([EXPORTS]))
    cluster.sandbox.stack("life").status = "UPDATE_IN_PROGRESS"
    assert "life is UPDATE_IN_PROGRESS: wait until the operation is complete" in refused(cluster)
    assert not any(line.startswith("[") for line in cluster.reported.lines)
