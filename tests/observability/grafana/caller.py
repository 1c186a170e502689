"""Emulated CloudFormation requests for tests of the loader function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from scripts.cloud.custom.delivery import Provider
from scripts.cloud.custom.functions import Function
from scripts.cloud.custom.protocol import Answer, Request
from scripts.cloud.custom.providers import Call
from tests.cloud.custom.handler_lifecycle import run_handler
from tests.observability.grafana.place import CONTENT, GrafanaPlace
from ultracluster.observability.grafana_function import handler as loader

STACK = "arn:aws:cloudformation:us-east-1:123456789012:stack/demo/11111111-2222-3333-4444-555555555555"


def ask(
    place: GrafanaPlace,
    kind: Literal["Create", "Update", "Delete"],
    properties: Mapping[str, Any],
    physical_id: str | None = None,
    old: Mapping[str, Any] | None = None,
    *,
    resource_type: str = CONTENT,
) -> Answer:
    """Send a request and return the response."""
    arn = f"arn:aws:lambda:us-east-1:{place.cloud.account}:function:loader"

    def run(call: Call) -> Any:
        return run_handler(loader.handler, call)

    request = Request(
        kind=kind,
        resource_type=resource_type,
        stack_id=STACK,
        logical_id="Content",
        properties={"ServiceToken": arn, **properties},
        physical_id=physical_id,
        old_properties=None if old is None else {"ServiceToken": arn, **old},
    )
    function = Function(arn=arn, name="loader", timeout_s=900.0)
    return Provider(place.environment, function, run).ask(request)
