"""A real Slurm on the loopback: munge, one slurmctld, and a slurmd for each node of a profile.

Each daemon runs in the foreground, on free ports, with its files in a folder of the test.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from config.design.slurm.topology_files import TopologyFile
from tests.slurm.conf import SlurmConf, gres_conf_text, slurm_conf_text
from tests.slurm.real.daemons import Daemons, free_ports, tail, wait_until
from tests.slurm.real.translation import ON_ONE_HOST, without, without_younger

PROGRAMS = ("slurmctld", "slurmd", "munged", "scontrol", "sinfo", "squeue", "sbatch", "srun")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NVIDIA = 195  # major number of the driver's devices
_NOT_OURS = (
    "pmix", "MPI:", "mpi/",  # the library of Debian's plugin is missing, and the tests do not use it
    "state file", "Trying backup",  # a first start has no state
    "gettimeofday",  # the host is busy with other tests
)  # fmt: skip


_AT_ONCE = "bf_interval=1,sched_interval=1"


class DaemonError(Exception):
    """A daemon did not start; the text is its output."""


@dataclass(frozen=True)
class Job:
    """A job as Slurm reports it."""

    id: int
    state: str
    nodes: tuple[str, ...]
    restarts: int
    reason: str


class Slurm:
    """A cluster as a context manager: `with Slurm(conf) as slurm`.

    `settings` are slurm.conf lines of this test, None removes a line. `text` replaces the lines from `conf`.
    `nodes` are the running nodes, by default all. With `impatient`, a lost node is detected within seconds.
    `translated=False` keeps settings that 22.05 does not support.
    """

    def __init__(
        self,
        conf: SlurmConf,
        *,
        topology: TopologyFile | None = None,
        settings: Mapping[str, str | None] | None = None,
        text: str | None = None,
        nodes: Iterable[str] | None = None,
        impatient: bool = False,
        translated: bool = True,
    ) -> None:
        # the path of a socket has at most 108 characters, so it is not in pytest's folder
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o711)
        self.conf = conf
        self._topology = topology
        self._settings = dict(settings or {})
        self._nodes = conf.each_node if nodes is None else tuple(nodes)
        self._impatient = impatient
        self._translated = translated
        self._text = slurm_conf_text(conf, topology) if text is None else text
        for name in ("state", "spool", "log", "run", "out"):
            (self.folder / name).mkdir()
        self._environment = {"PATH": _PATH, "SLURM_CONF": str(self.folder / "slurm.conf"), "LC_ALL": "C"}
        self._daemons = Daemons(self.folder / "log", self._environment)

    def __enter__(self) -> Slurm:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start all daemons, and wait until all nodes are idle."""
        self._write()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        files = {
            "key-file": key,
            **{f"{name}-file": self.folder / "run" / name for name in ("pid", "log", "seed")},
        }
        options = [f"--{name}={file}" for name, file in files.items()]
        socket = self.folder / "munge"
        self._daemons.start("munged", "munged", "--foreground", "--force", f"--socket={socket}", *options)
        wait_until(
            lambda: socket.exists() or self._failed("munged"), lambda: self._daemons.printed("munged"), 10
        )
        self.start_controller()
        for name in self._nodes:
            self.start_node(name)
        wait_until(self._all_idle, self.reported)

    def start_controller(self) -> None:
        """Start slurmctld; raises DaemonError if it does not start."""
        self._daemons.start("slurmctld", "slurmctld", "-D", "-c", "-f", str(self.folder / "slurm.conf"))
        wait_until(
            lambda: self._failed("slurmctld") or self._ask("scontrol", "ping").returncode == 0,
            lambda: self._daemons.printed("slurmctld"),
            15,
        )

    def start_node(self, name: str) -> None:
        """Start the slurmd of a node."""
        self._daemons.start(name, "slurmd", "-D", "-N", name, "-f", str(self.folder / "slurm.conf"))

    def kill_node(self, name: str) -> None:
        """Lose a node: kill its slurmd and its jobs."""
        self._daemons.kill(name)

    def stop(self) -> None:
        """Stop all daemons and delete the folder."""
        self._daemons.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, *command: str) -> str:
        """Return the output of a Slurm command; the test fails if the command fails."""
        ran = self._ask(*command)
        assert ran.returncode == 0, f"{' '.join(command)}: {ran.stderr}\n{self.reported()}"
        return ran.stdout

    def refused(self, *command: str) -> str:
        """Return the error message of a Slurm command that must fail."""
        ran = self._ask(*command)
        assert ran.returncode != 0, f"{' '.join(command)} was not refused: {ran.stdout}"
        return ran.stderr

    def submit(self, script: str, *options: str) -> int:
        """Submit a job with a shell script; its output is `output(id)`."""
        file = self.folder / "out" / "job.sh"
        file.write_text(f"#!/bin/sh\n{script}\n")
        out = f"--output={self.folder}/out/%j"
        printed = self.ask("sbatch", "--parsable", "--open-mode=append", out, *options, str(file))
        return int(printed)

    def output(self, job: int) -> list[str]:
        """Return the current output lines of a job."""
        file = self.folder / "out" / str(job)
        return file.read_text().splitlines() if file.exists() else []

    def job(self, job: int) -> Job:
        """Return the current job."""
        found = _fields(self.ask("scontrol", "--oneliner", "show", "job", str(job)))
        nodes = found.get("NodeList", "")
        return Job(
            id=job,
            state=found["JobState"],
            nodes=tuple(self.ask("scontrol", "show", "hostnames", nodes).split())
            if nodes not in ("", "(null)")
            else (),
            restarts=int(found["Restarts"]),
            reason=found["Reason"],
        )

    def wait_for(self, job: int, state: str, seconds: float = 30) -> Job:
        """Return a job when it is in a state."""
        wait_until(lambda: self.job(job).state == state, self.reported, seconds)
        return self.job(job)

    def node(self, name: str) -> dict[str, str]:
        """Return the fields of a node as Slurm reports them."""
        return _fields(self.ask("scontrol", "--oneliner", "show", "node", name))

    def errors(self) -> list[str]:
        """Return lines of slurmctld's log with level error or fatal."""
        log = (self.folder / "log" / "slurmctld.log").read_text()
        severities = ("error:", "fatal:", "warning:")
        return [
            line
            for line in log.splitlines()
            if any(word in line for word in severities) and not any(part in line for part in _NOT_OURS)
        ]

    def reported(self) -> str:
        """Return the logs for a failed test."""
        logs = [self._ask("sinfo", "-N", "-l").stdout, self._ask("squeue").stdout]
        return tail(
            [*logs, *(file.read_text() for file in sorted((self.folder / "log").glob("slurmctld.log")))]
        )

    def _failed(self, name: str) -> bool:
        if self._daemons.ended(name) is not None:
            raise DaemonError(self._daemons.printed(name))
        return False

    def _all_idle(self) -> bool:
        listed = self.ask("sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        return len({line for line in listed if line.endswith(" idle")}) >= len(self._nodes)

    def _ask(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=False, timeout=60
        )

    def _write(self) -> None:
        settings = {**self._on_one_host(), **self._settings}
        text = without_younger(self._text) if self._translated else self._text
        text = without(text, set(settings))
        text += "".join(f"{name}={value}\n" for name, value in settings.items() if value is not None)
        (self.folder / "slurm.conf").write_text(self._with_ports(text))
        (self.folder / "gres.conf").write_text(gres_conf_text(self.conf, f"{self.folder}/dev/%n"))
        if self._topology is not None:
            (self.folder / self._topology.name).write_text(self._topology.text)
        for line in self.conf.nodes:
            for name in line.each:
                (self.folder / "spool" / name).mkdir()
                devices = self.folder / "dev" / name
                devices.mkdir(parents=True)
                for gpu in range(line.gpus):
                    os.mknod(devices / f"nvidia{gpu}", 0o20666, os.makedev(NVIDIA, gpu))

    def _with_ports(self, text: str) -> str:
        """All nodes are this host, each on its own port."""
        first = self._port + 1
        lines = []
        for line in text.splitlines():
            count = next((n.count for n in self.conf.nodes if line.startswith(f"NodeName={n.names} ")), 0)
            if count:
                ports = f"[{first}-{first + count - 1}]" if count > 1 else str(first)
                line += f" NodeAddr=127.0.0.1 Port={ports}"
                first += count
            lines.append(line)
        return "\n".join(lines) + "\n"

    def _on_one_host(self) -> dict[str, str | None]:
        self._port = free_ports(len(self.conf.each_node) + 1)
        folder = self.folder
        settings: dict[str, str | None] = {
            "AuthInfo": f"socket={folder}/munge,cred_expire=5",
            "AuthType": "auth/munge",
            "CredType": "cred/munge",
            "JobAcctGatherType": "jobacct_gather/none",
            "MailProg": "/bin/true",
            "MessageTimeout": "2" if self._impatient else "10",
            "MpiDefault": "none",
            **{name: None for name in ("Prolog", "Epilog", "HealthCheckProgram")},
            "ProctrackType": "proctrack/linuxproc",
            "ReturnToService": "2",
            "SchedulerParameters": ",".join(
                filter(None, [self.conf.settings.get("SchedulerParameters"), _AT_ONCE])
            ),
            "SlurmUser": "root",
            "SlurmctldHost": "localhost(127.0.0.1)",
            "SlurmctldPort": str(self._port),
            "SlurmdParameters": "config_overrides",
            "SlurmdTimeout": "3" if self._impatient else "60",
            "StateSaveLocation": f"{folder}/state",
            "SlurmdSpoolDir": f"{folder}/spool/%n",
            "SlurmctldPidFile": f"{folder}/run/slurmctld.pid",
            "SlurmdPidFile": f"{folder}/run/%n.pid",
            "SlurmctldLogFile": f"{folder}/log/slurmctld.log",
            "SlurmdLogFile": f"{folder}/log/%n.log",
            "TaskPlugin": "task/none",
        }
        assert settings.keys() <= ON_ONE_HOST.keys()
        return settings


def _fields(line: str) -> dict[str, str]:
    """Parse NAME=VALUE fields; a value such as a reason may contain blanks."""
    found = re.findall(r"(\w+(?:/\w+)?)=(.*?)(?= \w+(?:/\w+)?=|$)", line.strip())
    return dict(found)
