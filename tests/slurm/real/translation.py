"""Differences between the Slurm of the tests and the Slurm of a service, each with its reason.

Debian 12 has Slurm 22.05; the services run 24.11 to 26.05.
"""

from __future__ import annotations

import re

OLDER = {
    "CliFilterParameters": "unknown to 22.05",
    "MetricsType": "unknown to 22.05; PCS supports it from 25.11 on",
    "Parameters": "setting of a node, unknown to 22.05; PCS supports it from 25.11 on",
    "PowerDownOnIdle": "unknown to 22.05",
    "PreemptParameters": "unknown to 22.05",
}
"""Settings that 22.05 does not support; they are left out of the tests."""

ON_ONE_HOST = {
    "AuthInfo": "a socket of the test; a requeued job waits for seconds, not for two minutes",
    "AuthType": "munge, as on HyperPod; PCS has auth/slurm, which is newer than 22.05",
    "CredType": "munge, for the same reason",
    "HealthCheckProgram": "the scripts are in the test's folder, and each node has its own root folder",
    "JobAcctGatherType": "the tests do not measure resource use",
    "MailProg": "the tests send no mail",
    "MessageTimeout": "a lost node is detected within seconds",
    "MpiDefault": "the jobs do not use MPI",
    "ProctrackType": "control groups belong to the host of the tests",
    "Prolog": "the scripts are in the test's folder, and each node has its own root folder",
    "Epilog": "the scripts are in the test's folder, and each node has its own root folder",
    "ReturnToService": "a restarted node is available immediately",
    "SchedulerParameters": "those of the profile, and the scheduler runs every second",
    "SlurmUser": "the test runs as root and needs no other user",
    "SlurmctldHost": "the loopback address",
    "SlurmctldPort": "a free port",
    "SlurmdParameters": "config_overrides: slurmctld uses the nodes' resources from the configuration",
    "SlurmdTimeout": "a lost node is detected within seconds",
    "StateSaveLocation": "a folder of the test",
    "SlurmdSpoolDir": "a folder of the test for each node",
    "SlurmctldPidFile": "a folder of the test",
    "SlurmdPidFile": "a folder of the test",
    "SlurmctldLogFile": "a folder of the test",
    "SlurmdLogFile": "a folder of the test",
    "TaskPlugin": "control groups belong to the host of the tests",
}
"""Settings of the service that the tests replace, with the reason."""

_SETTING = re.compile(r"(\w+)=\S+")


def without_younger(text: str) -> str:
    """Return the configuration without the settings that 22.05 does not support."""
    lines = []
    for line in text.splitlines():
        kept = [word for word in line.split(" ") if _name(word) not in OLDER]
        if kept:
            lines.append(" ".join(kept))
    return "\n".join(lines) + "\n"


def without(text: str, names: set[str]) -> str:
    """Return the configuration without the named settings of the cluster."""
    return "".join(f"{line}\n" for line in text.splitlines() if _name(line) not in names)


def _name(word: str) -> str:
    found = _SETTING.match(word)
    return found[1] if found else ""
