"""ECR pull-through cache rules and the settings of the repositories that they create."""

from __future__ import annotations

from moto.core.responses import ActionResult
from moto.ecr.responses import ECRResponse
from moto.secretsmanager.models import secretsmanager_backends

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, RefusedError, now, parsed, table

_NOT_FOUND = "PullThroughCacheRuleNotFoundException"


def _rules(response: ECRResponse) -> dict[str, Record]:
    return table(response.ecr_backend, "pull_through_cache_rules")


@adds(ECRResponse, "create_pull_through_cache_rule")
def _create(self: ECRResponse) -> ActionResult:
    request, rules = parsed(self), _rules(self)
    prefix = request["ecrRepositoryPrefix"]
    if prefix in rules:
        message = f"The pull through cache rule with prefix '{prefix}' already exists."
        raise RefusedError("PullThroughCacheRuleAlreadyExistsException", message)
    _require_secret(self, request.get("credentialArn"))
    rules[prefix] = {**request, "registryId": self.current_account, "createdAt": now(), "updatedAt": now()}
    return ActionResult(rules[prefix])


def _require_secret(response: ECRResponse, arn: str | None) -> None:
    """Check that the secret exists.

    https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache-creating-secret.html
    """
    if arn is None:
        return
    secrets = secretsmanager_backends[response.current_account][response.region].secrets
    if all(secret.arn != arn for secret in secrets.values()):
        raise RefusedError("SecretNotFoundException", f"The secret {arn} does not exist.")


@adds(ECRResponse, "describe_pull_through_cache_rules")
def _describe(self: ECRResponse) -> ActionResult:
    wanted, rules = parsed(self).get("ecrRepositoryPrefixes") or [], _rules(self)
    for prefix in wanted:
        if prefix not in rules:
            raise RefusedError(_NOT_FOUND, f"Pull through cache rule with prefix '{prefix}' not found.")
    return ActionResult({"pullThroughCacheRules": [r for p, r in rules.items() if not wanted or p in wanted]})


@adds(ECRResponse, "delete_pull_through_cache_rule")
def _delete(self: ECRResponse) -> ActionResult:
    prefix = parsed(self)["ecrRepositoryPrefix"]
    rule = _rules(self).pop(prefix, None)
    if rule is None:
        raise RefusedError(_NOT_FOUND, f"Pull through cache rule with prefix '{prefix}' not found.")
    return ActionResult(rule)


def _templates(response: ECRResponse) -> dict[str, Record]:
    return table(response.ecr_backend, "repository_creation_templates")


@adds(ECRResponse, "create_repository_creation_template")
def _create_template(self: ECRResponse) -> ActionResult:
    request, templates = parsed(self), _templates(self)
    prefix = request["prefix"]
    if prefix in templates:
        message = f"The repository creation template with prefix '{prefix}' already exists."
        raise RefusedError("TemplateAlreadyExistsException", message)
    _require_role(request)
    templates[prefix] = {**request, "createdAt": now(), "updatedAt": now()}
    return _described(self, templates[prefix])


@adds(ECRResponse, "update_repository_creation_template")
def _update_template(self: ECRResponse) -> ActionResult:
    request = parsed(self)
    template = _template(self, request["prefix"])
    _require_role(template | request)
    template |= {**request, "updatedAt": now()}
    return _described(self, template)


def _require_role(request: Record) -> None:
    """Check that a template with encryption or tags has a role.

    https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-create.html
    """
    keyed = (request.get("encryptionConfiguration") or {}).get("encryptionType", "AES256") != "AES256"
    if (keyed or request.get("resourceTags")) and not request.get("customRoleArn"):
        message = "A custom role is required for templates with KMS encryption or resource tags."
        raise RefusedError("InvalidParameterException", message)


def _template(response: ECRResponse, prefix: str) -> Record:
    template = _templates(response).get(prefix)
    if template is None:
        message = f"The repository creation template with prefix '{prefix}' does not exist."
        raise RefusedError("TemplateNotFoundException", message)
    return template


def _described(response: ECRResponse, template: Record) -> ActionResult:
    return ActionResult({"registryId": response.current_account, "repositoryCreationTemplate": template})


@adds(ECRResponse, "describe_repository_creation_templates")
def _describe_templates(self: ECRResponse) -> ActionResult:
    wanted = parsed(self).get("prefixes") or sorted(_templates(self))
    found = [_template(self, prefix) for prefix in wanted]
    return ActionResult({"registryId": self.current_account, "repositoryCreationTemplates": found})


@adds(ECRResponse, "delete_repository_creation_template")
def _delete_template(self: ECRResponse) -> ActionResult:
    template = _template(self, parsed(self)["prefix"])
    del _templates(self)[template["prefix"]]
    return _described(self, template)
