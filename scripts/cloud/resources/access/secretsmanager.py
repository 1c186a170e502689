"""Secrets, and attachments of secrets to databases, on Secrets Manager."""

# ruff: noqa: D102 - Model describes the methods

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag
from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    text_of,
)
from scripts.cloud.template.errors import ResourceFailedError

_EXCLUSIONS = (
    "ExcludeCharacters",
    "ExcludeLowercase",
    "ExcludeNumbers",
    "ExcludePunctuation",
    "ExcludeUppercase",
    "IncludeSpace",
    "PasswordLength",
    "RequireEachIncludedType",
)


class Secret(ApiModel):
    """A secret whose value is set or generated."""

    type = "AWS::SecretsManager::Secret"
    service, noun = "secretsmanager", "secret"
    named = ("Name", "Name", 256)
    key = ("SecretId",)
    ref = "{ARN}"
    emptied = ("Description",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        texts = ("SecretString", "GenerateSecretString")
        rest = {name: value for name, value in new.items() if name not in texts}
        if old is not None and only(old, *texts) == only(new, *texts):
            return rest
        return {**rest, "SecretString": self._text(context.client("secretsmanager"), new)}

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        retag(context, "secretsmanager", existing.physical_id, existing.properties, properties)

    def delete(self, context: Context, existing: Existing) -> None:
        # without a recovery window:
        # https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1999
        context.client("secretsmanager").delete_secret(
            SecretId=existing.physical_id, ForceDeleteWithoutRecovery=True
        )

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        record = super().described(context, existing)
        return None if record is None or "DeletedDate" in record else record

    @staticmethod
    def _text(secrets: Any, properties: Properties) -> str:
        """Return the secret's value, set or generated.

        https://docs.aws.amazon.com/secretsmanager/latest/userguide/cfn-example_secret.html
        """
        if "GenerateSecretString" not in properties:
            return str(properties.get("SecretString", "{}"))
        wanted = properties["GenerateSecretString"]
        password = secrets.get_random_password(**only(wanted, *_EXCLUSIONS))["RandomPassword"]
        if "GenerateStringKey" not in wanted:
            return str(password)
        template = json.loads(wanted.get("SecretStringTemplate", "{}"))
        return text_of(template | {wanted["GenerateStringKey"]: password})


class SecretTargetAttachment(Model):
    """An attachment of a secret to a database: adds the database's address to the secret's value."""

    type = "AWS::SecretsManager::SecretTargetAttachment"
    _ADDED = ("engine", "host", "port", "dbname", "dbClusterIdentifier", "dbInstanceIdentifier")

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties, self._connection(context, properties))
        return Created(properties["SecretId"], {"Id": properties["SecretId"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, properties, self._connection(context, properties))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        if found(context.client("secretsmanager").describe_secret, SecretId=existing.physical_id):
            self._put(context, existing.properties, {})

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("secretsmanager").get_secret_value
        answer = found(ask, SecretId=existing.physical_id)
        if answer is None:
            return None
        record: dict[str, Any] = json.loads(answer["SecretString"])
        return only(record, *self._ADDED) or None

    def _put(self, context: Context, properties: Properties, connection: Mapping[str, Any]) -> None:
        secrets, arn = context.client("secretsmanager"), properties["SecretId"]
        text = json.loads(secrets.get_secret_value(SecretId=arn)["SecretString"])
        kept = {key: value for key, value in text.items() if key not in self._ADDED}
        secrets.put_secret_value(SecretId=arn, SecretString=json.dumps({**kept, **connection}))

    @staticmethod
    def _connection(context: Context, properties: Properties) -> dict[str, Any]:
        """Return the engine, address and name of the target database.

        https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_secret_json_structure.html
        """
        rds, target = context.client("rds"), properties["TargetId"]
        if properties["TargetType"] == "AWS::RDS::DBCluster":
            record = rds.describe_db_clusters(DBClusterIdentifier=target)["DBClusters"][0]
            where = {"host": record["Endpoint"], "port": record["Port"], "dbClusterIdentifier": target}
            name = record.get("DatabaseName")
        elif properties["TargetType"] == "AWS::RDS::DBInstance":
            record = rds.describe_db_instances(DBInstanceIdentifier=target)["DBInstances"][0]
            endpoint = record["Endpoint"]
            where = {"host": endpoint["Address"], "port": endpoint["Port"], "dbInstanceIdentifier": target}
            name = record.get("DBName")
        else:
            target_type = properties["TargetType"]
            raise ResourceFailedError(
                f"the embedded cloud does not attach secrets to targets of type {target_type}"
            )
        return known(engine=record["Engine"], **where, dbname=name)
