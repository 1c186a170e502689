"""Functions, their permissions, layers and asynchronous invocation, over Lambda. Nothing runs here."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from scripts.cloud.custom.inline import inline_archive

from .base import Context, Created, Existing, Model, Properties, document_of, found, known, only

_SETTINGS = (
    "DeadLetterConfig",
    "Description",
    "Environment",
    "EphemeralStorage",
    "FileSystemConfigs",
    "Handler",
    "ImageConfig",
    "KmsKeyArn",
    "Layers",
    "LoggingConfig",
    "MemorySize",
    "Role",
    "Runtime",
    "SnapStart",
    "Timeout",
    "TracingConfig",
    "VpcConfig",
)
_CODE = ("S3Bucket", "S3Key", "S3ObjectVersion", "ImageUri")


def _code(properties: Properties) -> dict[str, Any]:
    """Where the code is; a text written in the template becomes an archive of one file."""
    code = properties["Code"]
    if "ZipFile" not in code:
        return only(code, *_CODE)
    return {"ZipFile": inline_archive(code["ZipFile"], str(properties.get("Runtime", "")))}


class Function(Model):
    """A function."""

    type = "AWS::Lambda::Function"

    def create(self, context: Context, properties: Properties) -> Created:
        functions = context.client("lambda")
        name = properties.get("FunctionName") or context.generated_name(64)
        made = functions.create_function(
            FunctionName=name,
            Code=_code(properties),
            Tags=context.tags(properties),
            **only(properties, *_SETTINGS, "Architectures", "PackageType"),
        )
        context.claim(name)
        self._concurrency(functions, name, {}, properties)
        return Created(name, self._attributes(made["FunctionArn"]))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        functions, name = context.client("lambda"), existing.physical_id
        if properties["Code"] != existing.properties["Code"]:
            functions.update_function_code(FunctionName=name, **_code(properties))
        # a setting that is no longer named goes back to nothing
        empty = {"Environment": {"Variables": {}}, "Layers": [], "Description": ""}
        gone = {k: v for k, v in empty.items() if k in existing.properties and k not in properties}
        functions.update_function_configuration(FunctionName=name, **only(properties, *_SETTINGS), **gone)
        self._concurrency(functions, name, existing.properties, properties)
        arn = existing.attributes["Arn"]
        tags, wanted = existing.properties.get("Tags") or [], context.tags(properties)
        before = {tag["Key"] for tag in tags}
        if before - set(wanted):
            functions.untag_resource(Resource=arn, TagKeys=sorted(before - set(wanted)))
        if wanted:
            functions.tag_resource(Resource=arn, Tags=wanted)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("lambda").delete_function(FunctionName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        functions, name = context.client("lambda"), existing.physical_id
        answer = found(functions.get_function, FunctionName=name)
        if answer is None:
            return None
        told = only(answer["Configuration"], *_SETTINGS, "Architectures", "PackageType")
        network = only(told.pop("VpcConfig", {}), "SubnetIds", "SecurityGroupIds")
        told["Layers"] = [layer["Arn"] for layer in told.get("Layers", [])]
        concurrency = answer.get("Concurrency", {}).get("ReservedConcurrentExecutions")
        return known(**told, VpcConfig=known(**network), ReservedConcurrentExecutions=concurrency)

    @staticmethod
    def _concurrency(functions: Any, name: str, old: Properties, new: Properties) -> None:
        before, after = (p.get("ReservedConcurrentExecutions") for p in (old, new))
        if after is not None and after != before:
            functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=after)
        elif after is None and before is not None:
            functions.delete_function_concurrency(FunctionName=name)

    @staticmethod
    def _attributes(arn: str) -> Properties:
        snapshot = {"ApplyOn": "None", "OptimizationStatus": "Off"}
        return {"Arn": arn, "SnapStartResponse": snapshot}


class Permission(Model):
    """Who else may invoke a function."""

    type = "AWS::Lambda::Permission"
    _NAMES = (
        "Action",
        "EventSourceToken",
        "FunctionName",
        "FunctionUrlAuthType",
        "Principal",
        "PrincipalOrgID",
        "SourceAccount",
        "SourceArn",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        statement = context.generated_name(100)
        request = only(properties, *self._NAMES)
        context.client("lambda").add_permission(StatementId=statement, **request)
        return Created(statement, {"Id": statement})

    def delete(self, context: Context, existing: Existing) -> None:
        name = existing.properties["FunctionName"]
        context.client("lambda").remove_permission(FunctionName=name, StatementId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("lambda").get_policy
        answer = found(ask, FunctionName=existing.properties["FunctionName"])
        policy = document_of(answer["Policy"]) if answer else {"Statement": []}
        for statement in policy["Statement"]:
            if statement["Sid"] == existing.physical_id:
                return only(statement, "Action", "Principal", "Condition")
        return None


class LayerVersion(Model):
    """A version of a layer: files that functions share."""

    type = "AWS::Lambda::LayerVersion"
    _NAMES = ("CompatibleArchitectures", "CompatibleRuntimes", "Content", "Description", "LicenseInfo")

    def create(self, context: Context, properties: Properties) -> Created:
        arn = context.client("lambda").publish_layer_version(
            LayerName=properties.get("LayerName") or context.generated_name(140),
            **only(properties, *self._NAMES),
        )["LayerVersionArn"]
        return Created(arn, {"LayerVersionArn": arn})

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("lambda").delete_layer_version(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("lambda").get_layer_version, **self._names(existing))
        names = ("CompatibleArchitectures", "CompatibleRuntimes", "Description", "LicenseInfo")
        return None if answer is None else known(**only(answer, *names))

    @staticmethod
    def _names(existing: Existing) -> dict[str, Any]:
        name, version = existing.physical_id.split(":")[-2:]
        return {"LayerName": name, "VersionNumber": int(version)}


class EventInvokeConfig(Model):
    """What becomes of a function's asynchronous invocations."""

    type = "AWS::Lambda::EventInvokeConfig"
    _NAMES = ("DestinationConfig", "MaximumEventAgeInSeconds", "MaximumRetryAttempts")

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        return Created(f"{properties['FunctionName']}|{properties['Qualifier']}")

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        name = existing.properties["FunctionName"]
        context.client("lambda").delete_function_event_invoke_config(FunctionName=name)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("lambda").get_function_event_invoke_config
        answer = found(ask, FunctionName=existing.properties["FunctionName"])
        return None if answer is None else known(**only(answer, *self._NAMES))

    def _put(self, context: Context, properties: Properties) -> None:
        request = only(properties, "FunctionName", *self._NAMES)
        context.client("lambda").put_function_event_invoke_config(**request)


MODELS = (Function(), Permission(), LayerVersion(), EventInvokeConfig())
