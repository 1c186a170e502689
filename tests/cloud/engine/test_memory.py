"""A cloud that is deployed to again and again does not grow."""

from __future__ import annotations

import gc
import json

import pytest

from scripts.cloud.engine.backend import KEPT_DELETED_STACKS
from scripts.cloud.local import local_cloud
from tests.cloud.snapshots import put_assets_of
from tests.conftest import ROOT

REGION = "us-west-2"
# first every cache is filled, and the stacks that are remembered are deleted ones
WARM = KEPT_DELETED_STACKS + 5
DEPLOYMENTS = 40


@pytest.mark.long
@pytest.mark.timeout(900)
def test_deployments_in_one_process_do_not_grow() -> None:
    text = (ROOT / "tests" / "snapshots" / "p6-b200.template.json").read_text(encoding="utf-8")
    template = json.loads(text)
    for declared in template["Resources"].values():
        declared.pop("DeletionPolicy", None)  # what is retained is meant to stay, and would be counted
    body, sizes = json.dumps(template), []
    with local_cloud() as local:
        put_assets_of(local, REGION, "p6-b200")
        ssm, backend = local.client("ssm", REGION), local.backend(REGION)
        ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Type="String", Value="30", Overwrite=True)
        for number in range(1, WARM + DEPLOYMENTS + 1):
            stack = local.deploy(REGION, f"again-{number}", body)
            assert stack.status == "CREATE_COMPLETE"
            backend.delete(stack)
            assert stack.status == "DELETE_COMPLETE", stack.reason
            if number in (WARM, WARM + DEPLOYMENTS):
                gc.collect()
                sizes.append(len(gc.get_objects()))
    before, after = sizes
    assert after < before * 1.02, f"{before} objects after {WARM} deployments, {after} {DEPLOYMENTS} later"
