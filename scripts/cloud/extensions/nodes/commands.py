"""Commands on nodes through Systems Manager: Run Command on EC2 instances, sessions on HyperPod nodes.

The nodes belong to Slurm clusters; `slurm.py` runs the commands. HyperPod only supports sessions, because its
nodes are not instances of the account. StartSession returns the output in place of the token, because the
embedded cloud has no WebSocket.
"""

from __future__ import annotations

import re
from uuid import uuid4

from moto.core.responses import ActionResult
from moto.ssm.responses import SimpleSystemManagerResponse

from scripts.cloud.extensions.kubernetes.hyperpod import clusters_of
from scripts.cloud.extensions.nodes.machines import Machine, hyperpod_machines, pcs_machines
from scripts.cloud.extensions.nodes.slurm import Slurm
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, RefusedError, table
from scripts.cloud.extensions.simulation import simulation
from scripts.cloud.extensions.slurm.pcs import PcsService

EMBEDDED = "embedded://"
"""Prefix of the stream URL of a session in the embedded cloud."""

_OUTPUT_LETTERS = 24_000
"""Maximum number of characters in an output
(https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetCommandInvocation.html)."""

_WRAPPED = re.compile(r"echo (?P<first>\S+); (?P<command>.*) 2>&1; echo (?P<last>\S+)\$\?")
_HYPERPOD = "sagemaker-cluster:"
_send_command = SimpleSystemManagerResponse.send_command
_get_invocation = SimpleSystemManagerResponse.get_command_invocation


def pcs_slurm(account: str, region: str, cluster_id: str) -> Slurm:
    """Return the Slurm model of a PCS cluster."""
    queues = PcsService.records(account, region, "queues").values()
    partitions = tuple(queue["name"] for queue in queues if queue["clusterId"] == cluster_id)
    return Slurm(simulation(), cluster_id, tuple(pcs_machines(account, region, cluster_id)), partitions)


def hyperpod_slurm(account: str, region: str, cluster_id: str) -> Slurm:
    """Return the Slurm model of a HyperPod cluster.

    Partition `dev` has every node; groups can have further partitions.
    """
    (cluster,) = (c for c in clusters_of(account, region) if c.arn.rpartition("/")[2] == cluster_id)
    declared = (group.get("SlurmConfig") or {} for group in cluster.groups.values())
    named = {name for one in declared for name in one.get("PartitionNames") or ()}
    return Slurm(
        simulation(),
        cluster.cluster_name,
        tuple(hyperpod_machines(account, region, cluster_id)),
        ("dev", *sorted(named)),
    )


def _pcs_of(account: str, region: str, instance: str) -> str | None:
    for cluster_id in PcsService.records(account, region, "clusters"):
        if any(machine.instance_id == instance for machine in pcs_machines(account, region, cluster_id)):
            return cluster_id
    return None


@adds(SimpleSystemManagerResponse, "send_command")
def _send(self: SimpleSystemManagerResponse) -> ActionResult:
    instances: list[str] = self._get_param("InstanceIds", [])
    clusters = [_pcs_of(self.current_account, self.region, one) for one in instances]
    if not clusters or None in clusters:
        return _send_command(self)
    command, invocations = str(uuid4()), table(self.ssm_backend, "node_commands")
    (text,) = self._get_param("Parameters", {})["commands"]
    for instance, cluster in zip(instances, clusters, strict=True):
        status, out = pcs_slurm(self.current_account, self.region, str(cluster)).run(text)
        invocations[f"{command}/{instance}"] = {
            "CommandId": command,
            "InstanceId": instance,
            "DocumentName": self._get_param("DocumentName"),
            "Status": "Failed" if status else "Success",
            "ResponseCode": status,
            "StandardOutputContent": "" if status else out[:_OUTPUT_LETTERS],
            "StandardErrorContent": out if status else "",
        }
    return ActionResult({"Command": {"CommandId": command, "InstanceIds": instances, "Status": "Pending"}})


@adds(SimpleSystemManagerResponse, "get_command_invocation")
def _invocation(self: SimpleSystemManagerResponse) -> ActionResult:
    key = f"{self._get_param('CommandId')}/{self._get_param('InstanceId')}"
    found: Record | None = table(self.ssm_backend, "node_commands").get(key)
    return ActionResult(found) if found else _get_invocation(self)


@adds(SimpleSystemManagerResponse, "start_session")
def _start_session(self: SimpleSystemManagerResponse) -> ActionResult:
    target = str(self._get_param("Target"))
    cluster_id, _, rest = target.removeprefix(_HYPERPOD).partition("_")
    node = next(
        (one for one in _hyperpod(self, cluster_id) if rest == f"{one.group}-{one.instance_id}"), None
    )
    if not target.startswith(_HYPERPOD) or node is None:
        raise RefusedError("TargetNotConnected", f"{target} is not connected.")
    text = str(self._get_param("Parameters", {})["command"][0])
    wrapped = _WRAPPED.fullmatch(text)
    command = wrapped["command"] if wrapped else text
    status, out = hyperpod_slurm(self.current_account, self.region, cluster_id).run(command)
    printed = [wrapped["first"], out, f"{wrapped['last']}{status}"] if wrapped else [out]
    session = f"embedded-{uuid4().hex[:17]}"
    return ActionResult(
        {"SessionId": session, "StreamUrl": f"{EMBEDDED}{session}", "TokenValue": "\n".join(printed)}
    )


def _hyperpod(self: SimpleSystemManagerResponse, cluster_id: str) -> list[Machine]:
    return list(hyperpod_machines(self.current_account, self.region, cluster_id))
