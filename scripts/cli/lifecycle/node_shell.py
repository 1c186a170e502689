"""Run commands on a node of a Slurm cluster through Systems Manager, without an open port.

HyperPod nodes are not EC2 instances of the account. HyperPod nodes only accept sessions, which need the
Session Manager plugin
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-run-jobs-slurm-access-nodes.html).
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import Any, Protocol

from botocore.exceptions import ClientError

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.target import every

from .scheduler import OutOfReachError
from .where import Where

_DOCUMENT = "AWS-StartNonInteractiveCommand"
_EMBEDDED = "embedded://"
_BEGIN, _END = "ultracluster-begins", "ultracluster-ends:"
_PLUGIN = "session-manager-plugin"
_HOW = "https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html"
_TIMEOUT_S = 120
_POLL_S = 2.0
_UNDER_WAY = ("Pending", "InProgress", "Delayed", "Cancelling")


_BY_HAND = (
    "for p in $(sinfo --noheader --all --format=%R); do "
    "sudo scontrol update PartitionName=$p State=INACTIVE; done",
    "squeue --states=RUNNING,COMPLETING,CONFIGURING,SUSPENDED",
)
"""Commands that the user runs on a node if ultracluster cannot reach Slurm."""


class NodeShell(Protocol):
    """A node on which Slurm programs run as root."""

    @property
    def programs(self) -> str:
        """Return the prefix of Slurm programs: `sudo -n /opt/slurm/bin/`."""

    def run(self, command: str) -> str:
        """Return the output of a command; raises if the command fails."""


class HyperPodShell:
    """The controller of a HyperPod cluster; commands run in a Session Manager session."""

    programs = "sudo -n /opt/slurm/bin/"

    def __init__(self, where: Where, cluster_arn: str) -> None:
        self._where, self._arn = where, cluster_arn

    def run(self, command: str) -> str:
        """See NodeShell."""
        wrapped = f"echo {_BEGIN}; {command} 2>&1; echo {_END}$?"
        request = {
            "Target": self._target(),
            "DocumentName": _DOCUMENT,
            "Parameters": {"command": [wrapped]},
        }
        ssm = self._where.client("ssm")
        try:
            session = ssm.start_session(**request)
        except ClientError as error:
            raise _out_of_reach(f"the controller cannot be reached: {error}") from None
        session.pop("ResponseMetadata", None)
        if session["StreamUrl"].startswith(_EMBEDDED):
            return printed(session["TokenValue"])
        return printed(_by_plugin(session, request, self._where.region, ssm.meta.endpoint_url))

    def _target(self) -> str:
        names = [group.name for group in self._where.design.groups if group.role == "controller"]
        sagemaker = self._where.client("sagemaker")
        for node in every(sagemaker, "list_cluster_nodes", "ClusterNodeSummaries", ClusterName=self._arn):
            if node["InstanceGroupName"] in names and node["InstanceStatus"]["Status"] == "Running":
                cluster_id = self._arn.rpartition("/")[2]
                return f"sagemaker-cluster:{cluster_id}_{node['InstanceGroupName']}-{node['InstanceId']}"
        raise _out_of_reach(f"no controller of {self._where.stack} is running")


class PcsShell:
    """A running node of a PCS cluster, preferably a login node; commands run as root with Run Command."""

    def __init__(self, where: Where, cluster_id: str) -> None:
        self._where, self._cluster = where, cluster_id
        found = where.client("pcs").get_cluster(clusterIdentifier=cluster_id)["cluster"]
        self.programs = f"/opt/aws/pcs/scheduler/slurm-{found['scheduler']['version']}/bin/"

    def run(self, command: str) -> str:
        """See NodeShell."""
        ssm, instance = self._where.client("ssm"), self._instance()
        try:
            sent = ssm.send_command(
                InstanceIds=[instance],
                DocumentName="AWS-RunShellScript",
                Parameters={"commands": [command], "executionTimeout": [str(_TIMEOUT_S)]},
            )["Command"]["CommandId"]
        except ClientError as error:
            raise _out_of_reach(f"{instance} does not accept commands: {error}") from None
        done = self._finished(ssm, sent, instance)
        if done["Status"] != "Success":
            output = (done.get("StandardErrorContent") or done.get("StandardOutputContent") or "").strip()
            raise RehearsalError(f"`{command}` failed on {instance} ({done['Status']}): {output[-500:]}")
        return str(done["StandardOutputContent"])

    def _finished(self, ssm: Any, command: str, instance: str) -> dict[str, Any]:
        for _ in range(int(_TIMEOUT_S / _POLL_S)):
            try:
                found: dict[str, Any] = ssm.get_command_invocation(CommandId=command, InstanceId=instance)
            except ssm.exceptions.InvocationDoesNotExist:  # not yet
                found = {"Status": "Pending"}
            if found["Status"] not in _UNDER_WAY:
                return found
            self._where.target.sleep(_POLL_S)
        raise _out_of_reach(f"{instance} did not answer within {_TIMEOUT_S} s")

    def _instance(self) -> str:
        """Return the instance id of a running node; raises if no node runs.

        https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_find-instances.html
        """
        for group in self._groups():
            tag = {"Name": "tag:aws:pcs:compute-node-group-id", "Values": [group]}
            state = {"Name": "instance-state-name", "Values": ["running"]}
            found = self._where.client("ec2").describe_instances(Filters=[tag, state])["Reservations"]
            for instance in (one for reservation in found for one in reservation["Instances"]):
                return str(instance["InstanceId"])
        raise _out_of_reach(
            f"no node of {self._where.stack} is running, and Slurm can only be queried on a node"
        )

    def _groups(self) -> Iterator[str]:
        asked = {"clusterIdentifier": self._cluster}
        listed = every(self._where.client("pcs"), "list_compute_node_groups", "computeNodeGroups", **asked)
        found = [(group["name"], group["id"]) for group in listed]
        login = [group.name for group in self._where.design.groups if group.role == "login"]
        yield from (identity for _, identity in sorted(found, key=lambda one: (one[0] not in login, one)))


def printed(output: str) -> str:
    """Return the output of a command without the text that the session adds; raises if the command failed."""
    lines = output.replace("\r", "").split("\n")
    if _BEGIN not in lines:
        raise RehearsalError(f"the session ended without an answer: {output.strip()[-500:]}")
    found: list[str] = []
    for line in lines[lines.index(_BEGIN) + 1 :]:
        status = re.search(rf"{_END}(\d+)$", line)
        if status is None:
            found.append(line)
            continue
        if status[1] != "0":
            raise RehearsalError(
                f"Slurm returns an error (status {status[1]}): {' '.join(found).strip()[-500:]}"
            )
        return "\n".join(found)
    raise RehearsalError("the session ended before the command finished")


def _out_of_reach(message: str) -> OutOfReachError:
    return OutOfReachError(message, _BY_HAND)


def _by_plugin(session: dict[str, Any], request: dict[str, Any], region: str, endpoint: str) -> str:
    """Return a session's output, read from a pseudo-terminal, so that the plugin does not truncate it.

    https://github.com/awslabs/agent-plugins/blob/main/plugins/sagemaker-ai/skills/hyperpod-ssm/SKILL.md
    """
    plugin = shutil.which(_PLUGIN)
    if plugin is None:
        raise _out_of_reach(f"HyperPod nodes need the {_PLUGIN}, which is not installed: {_HOW}")
    ours, theirs = pty.openpty()
    arguments = [plugin, json.dumps(session), region, "StartSession", "", json.dumps(request), endpoint]
    with subprocess.Popen(arguments, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        timer = threading.Timer(_TIMEOUT_S, process.kill)
        timer.start()
        try:
            return b"".join(_read(ours)).decode(errors="replace")
        finally:
            timer.cancel()
            process.kill()
            os.close(ours)


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            some = os.read(terminal, 65536)
        except OSError:  # raised on Linux when the writer has closed
            return
        if not some:
            return
        yield some
