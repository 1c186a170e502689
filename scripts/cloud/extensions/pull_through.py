"""Pull-through cache rules of ECR: repositories that fill themselves from another registry."""

from __future__ import annotations

from moto.core.responses import ActionResult
from moto.ecr.responses import ECRResponse
from moto.secretsmanager.models import secretsmanager_backends

from .patch import add
from .records import Record, RefusedError, now, parsed, table

_NOT_FOUND = "PullThroughCacheRuleNotFoundException"


def _rules(response: ECRResponse) -> dict[str, Record]:
    return table(response.ecr_backend, "pull_through_cache_rules")


def _create(self: ECRResponse) -> ActionResult:
    request, rules = parsed(self), _rules(self)
    prefix = request["ecrRepositoryPrefix"]
    if prefix in rules:
        told = f"The pull through cache rule with prefix '{prefix}' already exists."
        raise RefusedError("PullThroughCacheRuleAlreadyExistsException", told)
    _require_secret(self, request.get("credentialArn"))
    rules[prefix] = {**request, "registryId": self.current_account, "createdAt": now(), "updatedAt": now()}
    return ActionResult(rules[prefix])


def _require_secret(response: ECRResponse, arn: str | None) -> None:
    """https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache-creating-secret.html."""
    if arn is None:
        return
    secrets = secretsmanager_backends[response.current_account][response.region].secrets
    if all(secret.arn != arn for secret in secrets.values()):
        raise RefusedError("SecretNotFoundException", f"The secret {arn} does not exist.")


def _describe(self: ECRResponse) -> ActionResult:
    wanted, rules = parsed(self).get("ecrRepositoryPrefixes") or [], _rules(self)
    for prefix in wanted:
        if prefix not in rules:
            raise RefusedError(_NOT_FOUND, f"Pull through cache rule with prefix '{prefix}' not found.")
    return ActionResult({"pullThroughCacheRules": [r for p, r in rules.items() if not wanted or p in wanted]})


def _delete(self: ECRResponse) -> ActionResult:
    prefix = parsed(self)["ecrRepositoryPrefix"]
    rule = _rules(self).pop(prefix, None)
    if rule is None:
        raise RefusedError(_NOT_FOUND, f"Pull through cache rule with prefix '{prefix}' not found.")
    return ActionResult(rule)


def install() -> None:
    """Add the operations to ECR."""
    add(
        ECRResponse,
        create_pull_through_cache_rule=_create,
        describe_pull_through_cache_rules=_describe,
        delete_pull_through_cache_rule=_delete,
    )
