"""Lifecycle rules of buckets: nested in the S3 API, and flat in CloudFormation."""

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import Properties, known, only

_EXPIRATION = {
    "ExpirationInDays": "Days",
    "ExpirationDate": "Date",
    "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker",
}


def lifecycle_rule(rule: Properties) -> dict[str, Any]:
    """Return a rule as the API expects it."""
    result: dict[str, Any] = {"Status": rule["Status"], "Filter": {"Prefix": rule.get("Prefix", "")}}
    if "Id" in rule:
        result["ID"] = rule["Id"]
    expiration = {api: rule[cfn] for cfn, api in _EXPIRATION.items() if cfn in rule}
    if expiration:
        result["Expiration"] = expiration
    if "AbortIncompleteMultipartUpload" in rule:
        result["AbortIncompleteMultipartUpload"] = rule["AbortIncompleteMultipartUpload"]
    old = rule.get("NoncurrentVersionExpiration") or {}
    days = rule.get("NoncurrentVersionExpirationInDays") or old.get("NoncurrentDays")
    if days:
        keep = only(old, "NewerNoncurrentVersions")
        result["NoncurrentVersionExpiration"] = {"NoncurrentDays": days, **keep}
    moves = rule.get("Transitions") or ([rule["Transition"]] if "Transition" in rule else [])
    if moves:
        result["Transitions"] = [
            {"Days": m["TransitionInDays"], "StorageClass": m["StorageClass"]} for m in moves
        ]
    return result


def lifecycle_of(rule: Properties) -> dict[str, Any]:
    """Return a rule as CloudFormation properties."""
    expiration = rule.get("Expiration", {})
    moves = [
        {"TransitionInDays": move["Days"], "StorageClass": move["StorageClass"]}
        for move in rule.get("Transitions", [])
    ]
    return known(
        Id=rule.get("ID"),
        Status=rule["Status"],
        Prefix=rule.get("Filter", {}).get("Prefix"),
        **{cfn: expiration[api] for cfn, api in _EXPIRATION.items() if api in expiration},
        **only(rule, "AbortIncompleteMultipartUpload", "NoncurrentVersionExpiration"),
        Transitions=moves,
    )
