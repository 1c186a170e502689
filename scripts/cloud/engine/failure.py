"""The event reason for an exception."""

from __future__ import annotations

import logging
import re

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from scripts.cloud.faults import InjectedError
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError

_log = logging.getLogger(__name__)
_SPACE = re.compile(r"\s+")


def reason_of(error: Exception) -> str:
    """Return the reason in one line, in CloudFormation's wording. Unexpected errors are logged in full."""
    if isinstance(error, ClientError):
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
        text = f'Resource handler returned message: "{message} (Status Code: {status})" '
        text += f"(HandlerErrorCode: {code})"
    elif isinstance(error, ParamValidationError):
        text = f"Model validation failed: {error}"
    elif isinstance(error, RequestRefusedError):
        text = error.message
    elif isinstance(error, ResourceFailedError | InjectedError | BotoCoreError):
        text = str(error)
    else:
        _log.error("the embedded cloud failed", exc_info=error)
        text = f"Internal failure of the embedded cloud: {type(error).__name__}: {error}"
    return _SPACE.sub(" ", text)
