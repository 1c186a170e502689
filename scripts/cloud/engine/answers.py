"""Responses of the CloudFormation API: stacks, resources, events and change sets."""

from __future__ import annotations

import json
from typing import Any

from scripts.cloud.template.document import Template

from . import stack as model


def _pairs(values: dict[str, str], key: str, value: str) -> list[dict[str, str]]:
    return [{key: name, value: str(item)} for name, item in sorted(values.items())]


def _present(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if value is not None}


def stack(stack: model.Stack) -> dict[str, Any]:
    """Return a stack in the form of DescribeStacks."""
    body = stack.template.body if stack.template else {}
    return _present(
        {
            "StackId": stack.id,
            "StackName": stack.name,
            "Description": body.get("Description"),
            "Parameters": _parameters(stack.parameter_values, stack.parameters),
            "CreationTime": stack.created,
            "LastUpdatedTime": stack.updated,
            "DeletionTime": stack.deleted,
            "StackStatus": stack.status,
            "StackStatusReason": stack.reason,
            "DisableRollback": stack.disable_rollback,
            "NotificationARNs": [],
            "Capabilities": stack.capabilities,
            "Outputs": stack.outputs,
            "RoleARN": stack.role_arn,
            "Tags": _pairs(stack.tags, "Key", "Value"),
            "EnableTerminationProtection": stack.protected,
            "DriftInformation": _stack_drift(stack),
        }
    )


def _parameters(parameter_values: dict[str, str], values: dict[str, Any]) -> list[dict[str, Any]]:
    result = []
    for name, value in sorted(values.items()):
        text = ",".join(value) if isinstance(value, list) else str(value)
        entry = {"ParameterKey": name, "ParameterValue": parameter_values.get(name, text)}
        if entry["ParameterValue"] != text:
            entry["ResolvedValue"] = text
        result.append(entry)
    return result


def stack_summary(stack: model.Stack) -> dict[str, Any]:
    """Return a stack in the form of ListStacks."""
    names = (
        ("StackId", stack.id),
        ("StackName", stack.name),
        ("CreationTime", stack.created),
        ("LastUpdatedTime", stack.updated),
        ("DeletionTime", stack.deleted),
        ("StackStatus", stack.status),
        ("StackStatusReason", stack.reason),
    )
    return _present(dict(names))


def resource(stack: model.Stack, resource: model.Resource) -> dict[str, Any]:
    """Return a resource in the form of DescribeStackResource and the operations that list resources."""
    return _present(
        {
            "StackId": stack.id,
            "StackName": stack.name,
            "LogicalResourceId": resource.logical_id,
            "PhysicalResourceId": resource.physical_id,
            "ResourceType": resource.type,
            "Timestamp": resource.updated,
            "LastUpdatedTimestamp": resource.updated,
            "ResourceStatus": resource.status,
            "ResourceStatusReason": resource.reason,
            "DriftInformation": {
                "StackResourceDriftStatus": resource.drift.status if resource.drift else "NOT_CHECKED"
            },
        }
    )


def _stack_drift(stack: model.Stack) -> dict[str, Any]:
    if stack.drift is None:
        return {"StackDriftStatus": "NOT_CHECKED"}
    return {"StackDriftStatus": stack.drift.status, "LastCheckTimestamp": stack.drift.checked}


def drift_detection(stack: model.Stack, drift: model.StackDrift) -> dict[str, Any]:
    """Return a drift detection in the form of DescribeStackDriftDetectionStatus."""
    return {
        "StackId": stack.id,
        "StackDriftDetectionId": drift.id,
        "DetectionStatus": "DETECTION_COMPLETE",
        "StackDriftStatus": drift.status,
        "DriftedStackResourceCount": drift.drifted,
        "Timestamp": drift.checked,
    }


def resource_drift(stack: model.Stack, resource: model.Resource) -> dict[str, Any]:
    """Return the drift of a resource, with its differing properties."""
    drift = resource.drift or model.ResourceDrift("NOT_CHECKED")
    return {
        "StackId": stack.id,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.physical_id,
        "ResourceType": resource.type,
        "ExpectedProperties": json.dumps(resource.observed or {}, default=str),
        "PropertyDifferences": [
            {
                "PropertyPath": path,
                "ExpectedValue": _shown(was),
                "ActualValue": _shown(now),
                "DifferenceType": _difference(was, now),
            }
            for path, was, now in drift.differences
        ],
        "StackResourceDriftStatus": drift.status,
        "Timestamp": drift.checked,
    }


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _difference(was: Any, now: Any) -> str:
    if was is None:
        return "ADD"
    return "REMOVE" if now is None else "NOT_EQUAL"


def event(event: model.Event) -> dict[str, Any]:
    """Return an event in the form of DescribeStackEvents."""
    return _present(
        {
            "StackId": event.stack_id,
            "EventId": event.id,
            "StackName": event.stack_name,
            "LogicalResourceId": event.logical_id,
            "PhysicalResourceId": event.physical_id,
            "ResourceType": event.type,
            "Timestamp": event.timestamp,
            "ResourceStatus": event.status,
            "ResourceStatusReason": event.reason,
            "ClientRequestToken": event.token,
        }
    )


def change_set_summary(change_set: model.ChangeSet) -> dict[str, Any]:
    """Return a change set in the form of ListChangeSets."""
    return _present(
        {
            "StackId": change_set.stack.id,
            "StackName": change_set.stack.name,
            "ChangeSetId": change_set.id,
            "ChangeSetName": change_set.name,
            "ExecutionStatus": change_set.execution_status,
            "Status": change_set.status,
            "StatusReason": change_set.reason,
            "CreationTime": change_set.created,
            "Description": change_set.description,
        }
    )


def change_set(change_set: model.ChangeSet, *, values: bool) -> dict[str, Any]:
    """Return a change set in the form of DescribeChangeSet; `values` adds the old and new property values."""
    changes = [_change(change, values=values) for change in change_set.changes]
    return change_set_summary(change_set) | {
        "Parameters": _parameters(change_set.parameter_values, change_set.parameters),
        "NotificationARNs": [],
        "RollbackConfiguration": {},
        "Capabilities": change_set.capabilities,
        "Tags": _pairs(change_set.tags, "Key", "Value"),
        "Changes": [{"Type": "Resource", "ResourceChange": change} for change in changes],
    }


def _change(change: model.Change, *, values: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "Action": change.action,
        "PolicyAction": change.policy_action,
        "LogicalResourceId": change.logical_id,
        "PhysicalResourceId": change.physical_id,
        "ResourceType": change.type,
        "Scope": [],
        "Details": [],
    }
    if values:
        answer |= {"BeforeContext": _context(change.before), "AfterContext": _context(change.after)}
    if change.action == "Modify":
        answer["Replacement"] = change.replacement
        answer["Scope"] = ["Properties"] if change.details else []
        answer["Details"] = [_detail(detail, values=values) for detail in change.details]
    return _present(answer)


def _context(properties: Any) -> str | None:
    return None if properties is None else json.dumps({"Properties": properties}, default=str)


def _detail(detail: model.Detail, *, values: bool) -> dict[str, Any]:
    target: dict[str, Any] = {
        "Attribute": "Properties",
        "Name": detail.path[0],
        "Path": "/Properties/" + "/".join(detail.path),
        "RequiresRecreation": detail.recreation,
        "AttributeChangeType": detail.kind,
    }
    if values:
        target |= {"BeforeValue": _text(detail.before), "AfterValue": _text(detail.after)}
    return _present(
        {
            "Target": _present(target),
            "Evaluation": "Dynamic" if detail.cause else "Static",
            "ChangeSource": "ResourceReference" if detail.cause else "DirectModification",
            "CausingEntity": detail.cause,
        }
    )


def _text(value: Any) -> str | None:
    return None if value is None else _shown(value)


def template_summary(template: Template) -> dict[str, Any]:
    """Return a template in the form of GetTemplateSummary."""
    parameters = [
        _present(
            {
                "ParameterKey": name,
                "DefaultValue": None if spec.get("Default") is None else str(spec["Default"]),
                "ParameterType": spec["Type"],
                "NoEcho": bool(spec.get("NoEcho", False)),
                "Description": spec.get("Description"),
            }
        )
        for name, spec in template.section("Parameters").items()
    ]
    types = sorted({declared["Type"] for declared in template.resources.values()})
    needs_iam = any(kind.startswith("AWS::IAM::") for kind in types)
    return _present(
        {
            "Parameters": parameters,
            "Description": template.body.get("Description"),
            "Capabilities": ["CAPABILITY_NAMED_IAM"] if needs_iam else [],
            "ResourceTypes": types,
            "Version": template.body.get("AWSTemplateFormatVersion"),
            "Metadata": None,
        }
    )
