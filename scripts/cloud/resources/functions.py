"""Lambda functions, permissions, layers and asynchronous invocation. The functions do not run here."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.custom.inline import inline_archive

from .api import ApiModel
from .base import Context, Existing, Model, Properties, document_of, known, only


def _code(properties: Properties) -> dict[str, Any]:
    """Return the location of the code. If the template has the code itself, return an archive of one file."""
    code = properties["Code"]
    if "ZipFile" not in code:
        return dict(code)
    return {"ZipFile": inline_archive(code["ZipFile"], str(properties.get("Runtime", "")))}


class Function(ApiModel):
    """A Lambda function."""

    type = "AWS::Lambda::Function"
    service, noun = "lambda", "function"
    updates = "update_function_configuration"
    reads = "get_function"
    named = ("FunctionName", "FunctionName", 64)
    key = ("FunctionName",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        # a setting that was removed returns to its empty value
        empty = {"Environment": {"Variables": {}}, "Layers": [], "Description": ""}
        removed = {k: v for k, v in empty.items() if k in (old or {}) and k not in new}
        return {**new, **removed, "Code": _code(new)}

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        snapshot = {"ApplyOn": "None", "OptimizationStatus": "Off"}
        return {**super().attributes(context, existing, made), "SnapStartResponse": snapshot}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        name, old = {"FunctionName": existing.physical_id}, existing.properties
        if old and properties["Code"] != old["Code"]:
            client.update_function_code(**name, **_code(properties))
        before, after = (p.get("ReservedConcurrentExecutions") for p in (old, properties))
        if after is not None and after != before:
            client.put_function_concurrency(**name, ReservedConcurrentExecutions=after)
        elif after is None and before is not None:
            client.delete_function_concurrency(**name)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        settings = record["Configuration"]
        network = only(settings.get("VpcConfig", {}), "SubnetIds", "SecurityGroupIds")
        more = {
            "Layers": [layer["Arn"] for layer in settings.get("Layers", [])],
            "VpcConfig": known(**network),
            **only(record.get("Concurrency", {}), "ReservedConcurrentExecutions"),
        }
        return super().properties(context, existing, {**settings, **more})


class Permission(ApiModel):
    """A permission of another principal to invoke a function."""

    type = "AWS::Lambda::Permission"
    service, noun = "lambda", "permission"
    creates, reads, deletes = "add_{}", "get_policy", "remove_{}"
    key = ("StatementId", "FunctionName:FunctionName")
    ref = "{StatementId}"
    update = Model.update

    def name(self, context: Context, properties: Properties) -> dict[str, Any]:
        return {"StatementId": context.generated_name(100)}

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        policy = super().described(context, existing) or {"Policy": '{"Statement": []}'}
        statements = document_of(policy["Policy"])["Statement"]
        return next((s for s in statements if s["Sid"] == existing.physical_id), None)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        return only(record, "Action", "Principal", "Condition")


class LayerVersion(ApiModel):
    """A version of a layer: files that several functions use."""

    type = "AWS::Lambda::LayerVersion"
    service, noun = "lambda", "layer_version"
    creates, reads = "publish_{}", "get_{}"
    named = ("LayerName", "LayerName", 140)
    ref = "{LayerVersionArn}"
    update = Model.update

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        if not existing.physical_id:
            return {}
        name, version = existing.physical_id.split(":")[-2:]
        return {"LayerName": name, "VersionNumber": int(version)}


class EventInvokeConfig(ApiModel):
    """The settings of a function's asynchronous invocations."""

    type = "AWS::Lambda::EventInvokeConfig"
    service, noun = "lambda", "function_event_invoke_config"
    creates = updates = "put_{}"
    reads = "get_{}"
    key = ("FunctionName:FunctionName",)
    ref = "{FunctionName}|{Qualifier}"
