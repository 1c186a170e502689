"""What the real Slurm of the tests is told otherwise than a service's, each with its reason.

Debian 12 has Slurm 22.05; the services run 24.11 to 26.05.
"""

from __future__ import annotations

import re

OLDER = {
    "CliFilterParameters": "not known to 22.05",
    "MetricsType": "not known to 22.05; PCS takes it from 25.11 on",
    "Parameters": "of a node: not known to 22.05; PCS takes it from 25.11 on",
    "PowerDownOnIdle": "not known to 22.05",
    "PreemptParameters": "not known to 22.05",
}
"""Settings that 22.05 does not know; they are left out."""

ON_ONE_HOST = {
    "AuthInfo": "a socket of the test; and a job that is queued again waits for seconds, not two minutes",
    "AuthType": "munge, as on HyperPod; PCS has auth/slurm, which is younger than 22.05",
    "CredType": "munge, for the same reason",
    "HealthCheckProgram": "the scripts lie in the test's folder, and each node has a root of its own",
    "JobAcctGatherType": "nothing is measured",
    "MailProg": "there is no mail",
    "MessageTimeout": "a lost node is missed after seconds",
    "MpiDefault": "the jobs are not of MPI",
    "ProctrackType": "control groups belong to the machine that runs the tests",
    "Prolog": "the scripts lie in the test's folder, and each node has a root of its own",
    "Epilog": "the scripts lie in the test's folder, and each node has a root of its own",
    "ReturnToService": "a node that is started again is back at once",
    "SchedulerParameters": "the profile's, and the scheduler looks every second",
    "SlurmUser": "the test runs as root and asks for no other user",
    "SlurmctldHost": "the loopback",
    "SlurmctldPort": "a free port",
    "SlurmdParameters": "config_overrides: what the configuration says of nodes is believed",
    "SlurmdTimeout": "a lost node is missed after seconds",
    "StateSaveLocation": "a folder of the test",
    "SlurmdSpoolDir": "a folder of the test for each node",
    "SlurmctldPidFile": "a folder of the test",
    "SlurmdPidFile": "a folder of the test",
    "SlurmctldLogFile": "a folder of the test",
    "SlurmdLogFile": "a folder of the test",
    "TaskPlugin": "control groups belong to the machine that runs the tests",
}
"""Settings of the service's own that are the test's here."""

_SETTING = re.compile(r"(\w+)=\S+")


def without_younger(text: str) -> str:
    """The same configuration without the settings that 22.05 does not know."""
    lines = []
    for line in text.splitlines():
        kept = [word for word in line.split(" ") if _name(word) not in OLDER]
        if kept:
            lines.append(" ".join(kept))
    return "\n".join(lines) + "\n"


def without(text: str, names: set[str]) -> str:
    """The same configuration without some settings of the whole cluster."""
    return "".join(f"{line}\n" for line in text.splitlines() if _name(line) not in names)


def _name(word: str) -> str:
    found = _SETTING.match(word)
    return found[1] if found else ""
