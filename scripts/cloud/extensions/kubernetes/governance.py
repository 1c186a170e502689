"""HyperPod task governance: the scheduling policy of a cluster, and the compute quotas of its teams."""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.sagemaker.exceptions import ResourceNotFound, ValidationError
from moto.sagemaker.models import SageMakerModelBackend
from moto.sagemaker.responses import SageMakerResponse

from scripts.cloud.extensions.patch import add
from scripts.cloud.extensions.records import Record, RefusedError, next_id, now, table

_POLICIES, _QUOTAS = "cluster_scheduler_configs", "compute_quotas"


def _require_eks_cluster(backend: SageMakerModelBackend, arn: str) -> None:
    """Check that the cluster exists and uses EKS.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html
    """
    clusters: Any = backend.clusters
    cluster = next((c for c in clusters.values() if c.arn == arn), None)
    if cluster is None:
        raise ResourceNotFound(message=f"Cluster {arn} not found.")
    if "Eks" not in cluster.settings.get("Orchestrator", {}):
        raise ValidationError(message=f"Cluster {arn} is not orchestrated by EKS.")


def _create(response: SageMakerResponse, kind: str, name: str, path: str) -> ActionResult:
    backend, request = response.sagemaker_backend, response._get_params()
    _require_eks_cluster(backend, request["ClusterArn"])
    siblings = [r for r in table(backend, kind).values() if r["ClusterArn"] == request["ClusterArn"]]
    for other in siblings:
        if other["Name"] == request["Name"] or kind == _POLICIES or _team(other) == _team(request):
            message = f"{other['Name']} already exists in this cluster"
            raise RefusedError("ConflictException", message)
    record_id = next_id(backend, kind, 12)
    record: Record = {
        **{key: value for key, value in request.items() if key != "Tags"},
        f"{name}Id": record_id,
        f"{name}Arn": f"arn:aws:sagemaker:{response.region}:{response.current_account}:{path}/{record_id}",
        f"{name}Version": 1,
        "Status": "Created",
        "CreationTime": now(),
        "LastModifiedTime": now(),
    }
    table(backend, kind)[record_id] = record
    return ActionResult({key: record[key] for key in (f"{name}Id", f"{name}Arn")})


def _team(record: Record) -> Any:
    return record.get("ComputeQuotaTarget", {}).get("TeamName")


def _find(response: SageMakerResponse, kind: str, name: str) -> Record:
    record_id = response._get_params()[f"{name}Id"]
    found = table(response.sagemaker_backend, kind).get(record_id)
    if found is None:
        raise ResourceNotFound(message=f"{record_id} not found.")
    return found


def _update(response: SageMakerResponse, kind: str, name: str) -> ActionResult:
    """Change a policy or quota; the request must name its current version."""
    record, request = _find(response, kind, name), response._get_params()
    if request["TargetVersion"] != record[f"{name}Version"]:
        message = f"the version is {record[f'{name}Version']}, not {request['TargetVersion']}"
        raise RefusedError("ConflictException", message)
    record.update({key: value for key, value in request.items() if key != "TargetVersion"})
    record.update({f"{name}Version": record[f"{name}Version"] + 1, "LastModifiedTime": now()})
    record["Status"] = "Updated"
    return ActionResult({key: record[key] for key in (f"{name}Arn", f"{name}Version")})


def _delete(response: SageMakerResponse, kind: str, name: str) -> EmptyResult:
    del table(response.sagemaker_backend, kind)[_find(response, kind, name)[f"{name}Id"]]
    return EmptyResult()


def _operations(kind: str, name: str, path: str, plural: str) -> dict[str, Any]:
    """Return the operations of one type; moto finds them by their names in snake case."""
    snake = path.replace("-", "_")
    return {
        f"create_{snake}": lambda self: _create(self, kind, name, path),
        f"describe_{snake}": lambda self: ActionResult(_find(self, kind, name)),
        f"update_{snake}": lambda self: _update(self, kind, name),
        f"delete_{snake}": lambda self: _delete(self, kind, name),
        f"list_{snake}s": lambda self: ActionResult(
            {plural: list(table(self.sagemaker_backend, kind).values())}
        ),
    }


def install() -> None:
    """Add the operations to SageMaker."""
    policies = ("ClusterSchedulerConfig", "cluster-scheduler-config", "ClusterSchedulerConfigSummaries")
    quotas = ("ComputeQuota", "compute-quota", "ComputeQuotaSummaries")
    add(SageMakerResponse, **_operations(_POLICIES, *policies), **_operations(_QUOTAS, *quotas))
