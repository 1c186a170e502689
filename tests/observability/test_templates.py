"""Permissions in a template for metrics outside of the stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Synthesized

pytestmark = pytest.mark.synth

WORKSPACE = "ws-12345678-1234-1234-1234-123456789012"
ADDRESS = f"https://aps-workspaces.us-east-2.amazonaws.com/workspaces/{WORKSPACE}"
PROFILE = f"""\
extends: p6-b200
name: mine
observability:
  prometheus:
    kind: existing
    remote_write_url: {ADDRESS}/api/v1/remote_write
    query_url: {ADDRESS}
    authentication: {{kind: sigv4, region: us-east-2}}
"""


def test_grafana_may_ask_the_workspace_of_the_account_that_nodes_send_to(
    tmp_path: Path, tried: Callable[[str, str | None], Synthesized]
) -> None:
    (tmp_path / "mine.yaml").write_text(PROFILE)
    roles = tried(str(tmp_path / "mine.yaml"), None).resources("AWS::IAM::Role")
    granted = {
        action: statement["Resource"]
        for role in roles.values()
        for policy in role["Properties"].get("Policies", ())
        for statement in policy["PolicyDocument"]["Statement"]
        for action in ("aps:QueryMetrics", "aps:RemoteWrite")
        if action in statement["Action"]
    }
    arn = {"Fn::Sub": f"arn:${{AWS::Partition}}:aps:us-east-2:${{AWS::AccountId}}:workspace/{WORKSPACE}"}
    assert {action: str(arn) in str(resource) for action, resource in granted.items()} == {
        "aps:QueryMetrics": True,
        "aps:RemoteWrite": True,
    }
