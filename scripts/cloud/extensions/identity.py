"""Extensions of IAM: attached policies cannot be deleted, and an OIDC provider's client ids can change."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from moto.core.responses import EmptyResult
from moto.iam.models import IAMBackend
from moto.iam.responses import IamResponse

from .patch import adds
from .records import RefusedError, parsed

_delete_policy = IAMBackend.delete_policy
_read_policies: Callable[..., Any] = IAMBackend._init_aws_policies
_link: Callable[..., Any] = IAMBackend.create_service_linked_role


@adds(IAMBackend, "delete_policy")
def _delete_managed_policy(self: IAMBackend, policy_arn: str) -> None:
    if self.get_policy(policy_arn).attachment_count:
        raise RefusedError("DeleteConflict", "Cannot delete a policy attached to entities.")
    _delete_policy(self, policy_arn)


@adds(IAMBackend, "create_service_linked_role")
def _create_service_linked_role(self: IAMBackend, service: str, *settings: Any, **named: Any) -> Any:
    """Create a service-linked role; an account has one for each service, or for each service and suffix."""
    suffix = named.get("suffix") or (settings[1] if len(settings) > 1 else None)
    for role in self.get_roles():
        if role.path == f"/aws-service-role/{service}/" and (not suffix or role.name.endswith(f"_{suffix}")):
            raise RefusedError(
                "InvalidInput", f"Service role name {role.name} has been taken in this account"
            )
    return _link(self, service, *settings, **named)


def _client_ids(response: IamResponse) -> list[str]:
    provider = response.backend.get_open_id_connect_provider(parsed(response)["OpenIDConnectProviderArn"])
    ids: list[str] = provider.client_id_list
    return ids


@adds(IamResponse, "add_client_id_to_open_id_connect_provider")
def _add_client_id(self: IamResponse) -> EmptyResult:
    ids, wanted = _client_ids(self), parsed(self)["ClientID"]
    ids.extend([wanted] if wanted not in ids else [])
    return EmptyResult()


@adds(IamResponse, "remove_client_id_from_open_id_connect_provider")
def _remove_client_id(self: IamResponse) -> EmptyResult:
    ids, client_id = _client_ids(self), parsed(self)["ClientID"]
    ids[:] = [known for known in ids if known != client_id]
    return EmptyResult()


@lru_cache(maxsize=8)
def _policies_of_aws(account: str, region: str) -> tuple[Any, ...]:
    backend = SimpleNamespace(account_id=account, region_name=region)
    return tuple(_read_policies(backend))


@adds(IAMBackend, "_init_aws_policies")
def _own_copies(self: IAMBackend) -> list[Any]:
    """Return copies of the AWS managed policies, because each account counts its own attachments."""
    return [copy(policy) for policy in _policies_of_aws(self.account_id, self.region_name)]
