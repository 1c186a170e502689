"""Model of the CDK's kubectl function: objects, Helm releases, patches and values of objects.

Based on custom-resource-handlers/dist/aws-eks-v2/kubectl-handler of aws-cdk-lib. The provider framework calls
the function. Instead of a Kubernetes API, the model uses scripts/cloud/kubernetes, which stores the contents
of each cluster.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from scripts.cloud.custom.invocation import FunctionError
from scripts.cloud.custom.providers import Call, Identity
from scripts.cloud.kubernetes import helm
from scripts.cloud.kubernetes.clusters import contents_of, has_nodes, kinds_of_addons, may_administer
from scripts.cloud.kubernetes.contents import Contents, RefusedByClusterError

IDENTITY = Identity(runtime="python", description="onEvent handler for EKS kubectl resource provider")
# https://docs.aws.amazon.com/cli/v1/topic/return-codes.html
_LOGIN_FAILED = (
    "Command '['aws', 'eks', 'update-kubeconfig', '--name', '{name}', '--kubeconfig', '/tmp/kubeconfig']' "
    "returned non-zero exit status 254."
)


def behave(call: Call) -> dict[str, Any] | None:
    """Handle the event; raises the same errors as the real function."""
    properties = call.event["ResourceProperties"]
    handler = _HANDLERS.get(call.event["ResourceType"])
    if handler is None:
        raise FunctionError(f"unknown resource type {call.event['ResourceType']}")
    name = properties["ClusterName"]
    where = (call.environment.account_id, call.environment.region, name)
    try:
        contents = contents_of(*where)
    except KeyError:
        raise FunctionError(_LOGIN_FAILED.format(name=name)) from None
    try:
        if not may_administer(*where, _role_of(call)):
            raise RefusedByClusterError(
                "error: You must be logged in to the server (the server has asked for the client to provide "
                "credentials)"
            )
        return handler(call, contents, properties)
    except RefusedByClusterError as error:
        raise FunctionError(repr(str(error).encode())) from error


def _role_of(call: Call) -> str:
    functions = call.environment.client("lambda")
    role: str = functions.get_function_configuration(FunctionName=call.function.name)["Role"]
    return role


def _objects(call: Call, contents: Contents, properties: Mapping[str, Any]) -> None:
    """Run `kubectl create`, `apply` or `delete`; a delete that fails does not raise an error."""
    request = call.event["RequestType"]
    wanted = json.loads(properties["Manifest"])
    if request == "Delete":
        for one in wanted:
            try:
                contents.delete(one)
            except RefusedByClusterError:
                continue
        return
    create = request == "Create" and str(properties.get("Overwrite", "false")).lower() != "true"
    where = (call.environment.account_id, call.environment.region, properties["ClusterName"])
    for one in wanted:
        contents.apply(one, kinds_of_addons(*where), create=create)


def _release(call: Call, contents: Contents, properties: Mapping[str, Any]) -> None:
    """Run `helm upgrade --install` or `helm uninstall`; an uninstall that fails does not raise an error."""
    if call.event["RequestType"] == "Delete":
        try:
            helm.uninstall(contents, properties)
        except RefusedByClusterError:
            return
        return
    where = (call.environment.account_id, call.environment.region, properties["ClusterName"])
    helm.install(contents, properties, read=lambda address: _asset(call, address), nodes=has_nodes(*where))


def _asset(call: Call, address: str) -> bytes:
    bucket, _, key = address.removeprefix("s3://").partition("/")
    try:
        found: bytes = call.environment.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    except ClientError as error:
        command = f"Command '['aws', 's3', 'cp', '{address}', '/tmp/chart.zip']'"
        raise FunctionError(f"{command} returned non-zero exit status 1.") from error
    return found


def _patch(call: Call, contents: Contents, properties: Mapping[str, Any]) -> None:
    contents.patched(properties["ResourceName"], properties["ResourceNamespace"])


def _value(call: Call, contents: Contents, properties: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a value of an applied object or an operator's workload; raises if it is missing."""
    if call.event["RequestType"] == "Delete":
        return None
    name, kind = properties["ObjectName"], properties["ObjectType"].lower()
    if properties["JsonPath"] == _AVAILABLE and (kind, name) in _operated(
        contents, properties["ObjectNamespace"]
    ):
        return {"Data": {"Value": "1"}}
    for (_, own, namespace, own_name), one in contents.objects.items():
        if (own_name, namespace or properties["ObjectNamespace"]) != (name, properties["ObjectNamespace"]):
            continue
        found: Any = one if own.lower() in (kind, kind.removesuffix("s")) else None
        for part in properties["JsonPath"].strip(".").split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        if found:
            return {"Data": {"Value": str(found)}}
    call.clock.advance(float(properties["TimeoutSeconds"]))
    raise FunctionError(f"Timeout waiting for output from kubectl command: {kind} {name} (last_error=None)")


_AVAILABLE = ".status.availableReplicas"
_OPERATED = {"kai-scheduler": {("deployment", "queue-controller")}}
"""Workloads that the operators of charts run
(`kai-scheduler/KAI-Scheduler:pkg/operator/operands/queue_controller/resources.go`)."""


def _operated(contents: Contents, namespace: str) -> set[tuple[str, str]]:
    """Return the workloads that operators run in a namespace."""
    charts = {release.chart for (where, _), release in contents.releases.items() if where == namespace}
    return {one for chart in charts for one in _OPERATED.get(chart, set())}


_Handler = Callable[[Call, Contents, Mapping[str, Any]], dict[str, Any] | None]
_HANDLERS: dict[str, _Handler] = {
    "Custom::AWSCDK-EKS-KubernetesResource": _objects,
    "Custom::AWSCDK-EKS-HelmChart": _release,
    "Custom::AWSCDK-EKS-KubernetesPatch": _patch,
    "Custom::AWSCDK-EKS-KubernetesObjectValue": _value,
}
