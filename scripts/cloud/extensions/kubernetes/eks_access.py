"""Access to an EKS cluster: access entries and their policies."""

from __future__ import annotations

from moto.core.responses import ActionResult, EmptyResult
from moto.utilities.utils import get_partition

from scripts.cloud.extensions import existence
from scripts.cloud.extensions.records import Record, RefusedError, now, short_id

from .eks_records import EksRecords


def add_entry(account: str, region: str, cluster_name: str, principal: str, kind: str) -> None:
    """Add the entry that EKS creates for the node role, if the cluster supports access entries.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
    """
    cluster = EksRecords.records(account, region, "clusters")[cluster_name]
    entries = EksRecords.records(account, region, "entries")
    key = f"{cluster_name}/{principal}"
    if cluster["accessConfig"]["authenticationMode"] != "CONFIG_MAP" and key not in entries:
        entries[key] = _entry(account, region, cluster_name, {"principalArn": principal, "type": kind})


def _entry(account: str, region: str, cluster_name: str, request: Record) -> Record:
    principal = request["principalArn"]
    name = principal.split("/")[-1]
    path = f"access-entry/{cluster_name}/role/{account}/{name}"
    return {
        "type": "STANDARD",
        "kubernetesGroups": [],
        "username": principal,
        **request,
        "clusterName": cluster_name,
        "accessEntryArn": (
            f"arn:{get_partition(region)}:eks:{region}:{account}:{path}/{short_id(path, length=36)}"
        ),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": dict(request.get("tags") or {}),
        "policies": {},
    }


class AccessOperations(EksRecords):
    """EKS operations on access entries."""

    def create_access_entry(self) -> ActionResult:
        """CreateAccessEntry."""
        cluster, request = self.own_cluster(), self._get_params()
        if cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
            message = "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP]"
            raise RefusedError("InvalidRequestException", message)
        principal = request["principalArn"]
        key = f"{cluster['name']}/{principal}"
        if key in self.table("entries"):
            message = "The specified access entry resource is already in use on this cluster."
            raise RefusedError("ResourceInUseException", message)
        if ":role/" in principal and not existence.role_exists(self.current_account, principal):
            raise RefusedError(self.invalid, "The specified principalArn is invalid: invalid principal.")
        kept = {k: v for k, v in request.items() if k != "clientRequestToken"}
        entry = _entry(self.current_account, self.region, cluster["name"], kept)
        self.table("entries")[key] = entry
        self.keep_tags(entry["accessEntryArn"], entry["tags"])
        return ActionResult({"accessEntry": entry})

    def describe_access_entry(self) -> ActionResult:
        """DescribeAccessEntry."""
        return ActionResult({"accessEntry": self._access_entry()})

    def list_access_entries(self) -> ActionResult:
        """ListAccessEntries."""
        entries = self.of_cluster("entries", self.own_cluster()["name"])
        return ActionResult({"accessEntries": [entry["principalArn"] for entry in entries]})

    def update_access_entry(self) -> ActionResult:
        """UpdateAccessEntry."""
        entry, request = self._access_entry(), self._get_params()
        entry |= {k: request[k] for k in ("kubernetesGroups", "username") if k in request}
        return ActionResult({"accessEntry": entry})

    def delete_access_entry(self) -> EmptyResult:
        """DeleteAccessEntry."""
        entry = self._access_entry()
        key = f"{entry['clusterName']}/{entry['principalArn']}"
        return self.drop("entries", key, entry["accessEntryArn"])

    def associate_access_policy(self) -> ActionResult:
        """AssociateAccessPolicy."""
        entry, request = self._access_entry(), self._get_params()
        policy = {
            "policyArn": request["policyArn"],
            "accessScope": request["accessScope"],
            "associatedAt": now(),
        }
        entry["policies"][request["policyArn"]] = policy | {"modifiedAt": now()}
        names = {key: entry[key] for key in ("clusterName", "principalArn")}
        return ActionResult(names | {"associatedAccessPolicy": policy})

    def disassociate_access_policy(self) -> EmptyResult:
        """DisassociateAccessPolicy."""
        policies, arn = self._access_entry()["policies"], self._get_param("policyArn")
        if policies.pop(arn, None) is None:
            raise self.missing(arn)
        return EmptyResult()

    def list_associated_access_policies(self) -> ActionResult:
        """ListAssociatedAccessPolicies."""
        entry = self._access_entry()
        names = {key: entry[key] for key in ("clusterName", "principalArn")}
        return ActionResult(names | {"associatedAccessPolicies": list(entry["policies"].values())})

    def _access_entry(self) -> Record:
        cluster, principal = self.own_cluster(), self._get_param("principalArn")
        entry = self.table("entries").get(f"{cluster['name']}/{principal}")
        if entry is None:
            raise RefusedError(self.not_found, "The specified principalArn could not be found.")
        return entry
