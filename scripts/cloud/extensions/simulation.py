"""The simulation outside of the services: a clock, jobs on clusters, and files on file systems.

The simulation does not wait: to see a later state, a caller advances the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import RLock


@dataclass(kw_only=True)
class Job:
    """A job on whole nodes. The job starts at `starts_at`, or as soon as its nodes accept jobs.

    `duration_s` is None for a job without an end. `writes` maps a file system id to the number of files that
    the job writes to the file system when it ends.
    """

    number: int
    cluster: str
    name: str
    nodes: tuple[str, ...]
    starts_at: datetime
    duration_s: float | None
    user: str = "alice"
    namespace: str = "training"
    partition: str | None = None
    queue: str | None = None
    writes: Mapping[str, int] = field(default_factory=dict)
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def is_running(self) -> bool:
        """Whether the job has started and has not ended."""
        return self.started_at is not None and self.ended_at is None

    @property
    def due(self) -> datetime | None:
        """The end of the job; None if it has no end or has not started."""
        if self.started_at is None or self.duration_s is None:
            return None
        return self.started_at + timedelta(seconds=self.duration_s)


@dataclass(kw_only=True)
class Files:
    """The changed files of a file system. `queued` files are exported automatically, `unlinked` by a task.

    `per_s` is the number of files that are exported per second. If `stuck` is not empty, it is the reason why
    no files are exported.
    """

    queued: float = 0
    unlinked: int = 0
    exported: float = 0
    lost: float = 0
    per_s: float = 10
    stuck: str = ""
    failing: int = 0
    seen_at: datetime | None = None
    queued_since: datetime | None = None

    def go_on(self, now: datetime) -> None:
        """Drain the queue until now."""
        passed = (now - self.seen_at).total_seconds() if self.seen_at else 0.0
        self.seen_at = now
        if self.stuck or not self.queued:
            return
        done = min(self.queued, passed * self.per_s)
        self.queued -= done
        self.exported += done
        if not self.queued:
            self.queued_since = None

    def write(self, number: int, now: datetime, *, linked: bool) -> None:
        """Add new files."""
        self.go_on(now)
        if not linked:
            self.unlinked += number
            return
        self.queued += number
        if self.queued:
            self.queued_since = self.queued_since or now

    def age_s(self, now: datetime) -> float:
        """Return the age of the oldest file in the queue; 0 if it is empty."""
        return (now - self.queued_since).total_seconds() if self.queued_since else 0.0


class Simulation:
    """The state of one cloud's simulation. `private` has the Kubernetes APIs without a public endpoint."""

    def __init__(self) -> None:
        self.passed_s = 0.0
        self.jobs: list[Job] = []
        self.files: dict[str, Files] = {}
        self.private: set[str] = set()
        self.partitions: dict[tuple[str, str], str] = {}
        self.drained: dict[tuple[str, str], str] = {}
        self.exporting: set[str] = set()
        self.held_queues: set[tuple[str, str | None]] = set()
        self.lock = RLock()

    def now(self) -> datetime:
        """Return the simulated time: the computer's time plus the skipped time."""
        return datetime.now(UTC) + timedelta(seconds=self.passed_s)

    def advance(self, seconds: float) -> datetime:
        """Advance the clock in steps of 30 seconds, so that events in between happen in order."""
        with self.lock:
            left = max(0.0, seconds)
            while left > 0:
                step = min(left, 30.0)
                self.passed_s += step
                left -= step
                self.settle()
            return self.now()

    def submit(self, cluster: str, name: str, nodes: tuple[str, ...], **more: object) -> Job:
        """Submit a job that starts now, or after `after_s` seconds."""
        after_s = more.pop("after_s", 0.0)
        assert isinstance(after_s, int | float)
        starts_at = self.now() + timedelta(seconds=after_s)
        number = len(self.jobs) + 1
        job = Job(number=number, cluster=cluster, name=name, nodes=nodes, starts_at=starts_at, **more)  # type: ignore[arg-type]  # the fields of a job
        self.jobs.append(job)
        self.settle()
        return job

    def write(self, file_system_id: str, number: int) -> None:
        """Add new files to a file system; if an association exports automatically, the files are queued."""
        files = self.files.setdefault(file_system_id, Files(seen_at=self.now()))
        files.write(number, self.now(), linked=file_system_id in self.exporting)

    def set_exporting(self, file_system_id: str, *, exports: bool) -> None:
        """Set whether an association exports. If none exports, the files in the queue become unlinked."""
        self.settle()
        if exports:
            self.exporting.add(file_system_id)
            return
        self.exporting.discard(file_system_id)
        files = self.files.get(file_system_id)
        if files and files.queued:
            files.unlinked += round(files.queued)
            files.queued, files.queued_since = 0, None

    def forget(self, file_system_id: str) -> None:
        """Delete the state of a file system; files that are not in S3 are lost."""
        self.settle()
        self.exporting.discard(file_system_id)
        files = self.files.get(file_system_id)
        if files:
            files.lost += files.queued + files.unlinked
            files.queued, files.unlinked, files.queued_since = 0, 0, None

    def running(self, cluster: str) -> Iterator[Job]:
        """Yield the running jobs of a cluster."""
        self.settle()
        return (job for job in list(self.jobs) if job.cluster == cluster and job.is_running)

    def settle(self) -> None:
        """Process all events that are due until now."""
        now = self.now()
        with self.lock:
            for job in self.jobs:
                waits = job.started_at is None and job.ended_at is None and job.starts_at <= now
                if waits and not self.is_held(job):
                    job.started_at = now
                if job.is_running and job.due is not None and job.due <= now:
                    self.end(job)
            for files in self.files.values():
                files.go_on(now)

    def end(self, job: Job) -> None:
        """End a job, which then writes its files."""
        job.ended_at = self.now()
        for system, number in job.writes.items():
            self.write(system, number)

    def is_held(self, job: Job) -> bool:
        """Return whether a job cannot start, because its partition, queue or a node does not accept jobs."""
        if self.partitions.get((job.cluster, job.partition or ""), "up") in ("inact", "down"):
            return True
        if any((job.cluster, node) in self.drained for node in job.nodes):
            return True
        return (job.cluster, job.queue) in self.held_queues


_ACTIVE: list[Simulation] = [Simulation()]


def simulation() -> Simulation:
    """Return the simulation of the cloud in this process."""
    return _ACTIVE[0]


def use(new: Simulation) -> None:
    """Set the simulation of this process."""
    _ACTIVE[0] = new
