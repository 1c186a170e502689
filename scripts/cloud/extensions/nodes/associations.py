"""Systems Manager associations: documents that are applied to nodes on a schedule."""

from __future__ import annotations

from uuid import UUID

from moto.core.responses import ActionResult, EmptyResult
from moto.ssm.responses import SimpleSystemManagerResponse

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, RefusedError, next_id, now, parsed, table


def _associations(response: SimpleSystemManagerResponse) -> dict[str, Record]:
    return table(response.ssm_backend, "associations")


def _require_document(response: SimpleSystemManagerResponse, name: str) -> None:
    """Check that a document exists.

    Documents of AWS (by their prefix) and documents of other accounts (by ARN) are not checked.
    """
    own = name.startswith(("AWS", "Amazon", "arn:"))
    if not own and name not in response.ssm_backend._documents:
        raise RefusedError("InvalidDocument", f"Document with name {name} does not exist.")


@adds(SimpleSystemManagerResponse, "create_association")
def _create(self: SimpleSystemManagerResponse) -> ActionResult:
    request = parsed(self)
    _require_document(self, request["Name"])
    association: Record = {
        "DocumentVersion": "$DEFAULT",
        **{key: value for key, value in request.items() if key != "Tags"},
        "AssociationId": str(UUID(next_id(self.ssm_backend, "association", 32))),
        "AssociationVersion": "1",
        "Date": now(),
        "LastUpdateAssociationDate": now(),
        "Overview": {"Status": "Success"},
    }
    _associations(self)[association["AssociationId"]] = association
    return ActionResult({"AssociationDescription": association})


def _find(response: SimpleSystemManagerResponse) -> Record:
    found = _associations(response).get(parsed(response).get("AssociationId", ""))
    if found is None:
        raise RefusedError("AssociationDoesNotExist", "The specified association does not exist.")
    return found


@adds(SimpleSystemManagerResponse, "describe_association")
def _describe(self: SimpleSystemManagerResponse) -> ActionResult:
    return ActionResult({"AssociationDescription": _find(self)})


@adds(SimpleSystemManagerResponse, "update_association")
def _update(self: SimpleSystemManagerResponse) -> ActionResult:
    association, request = _find(self), parsed(self)
    _require_document(self, request.get("Name") or association["Name"])
    version = str(int(association["AssociationVersion"]) + 1)
    association.update(request, AssociationVersion=version, LastUpdateAssociationDate=now())
    return ActionResult({"AssociationDescription": association})


@adds(SimpleSystemManagerResponse, "delete_association")
def _delete(self: SimpleSystemManagerResponse) -> EmptyResult:
    del _associations(self)[_find(self)["AssociationId"]]
    return EmptyResult()


@adds(SimpleSystemManagerResponse, "list_associations")
def _list(self: SimpleSystemManagerResponse) -> ActionResult:
    return ActionResult({"Associations": list(_associations(self).values())})
