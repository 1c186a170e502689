"""The reason of an event, from whatever went wrong."""

from __future__ import annotations

import logging
import re

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from scripts.cloud.faults import InjectedError
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError

_log = logging.getLogger(__name__)
_SPACE = re.compile(r"\s+")


def reason_of(error: Exception) -> str:
    """One line, as CloudFormation words it. What nobody foresaw is logged in full and named."""
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
