"""What the examples of preflight say that AWS answers is what botocore's service models have."""

from __future__ import annotations

from functools import lru_cache

import botocore.session
import pytest
from botocore import xform_name
from botocore.model import ServiceModel

from config.rules.example_rows import PreflightExample, examples
from tests.preflight.world import faults_of

ANSWERS = [
    (row.name, stem, answer)
    for rows in examples().values()
    for row in rows
    if isinstance(row, PreflightExample)
    for stem, answer in row.answers.items()
]


@lru_cache(maxsize=64)
def _model(service: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(service)


@pytest.mark.parametrize(
    ("row", "stem", "answer"), ANSWERS, ids=[f"{row}-{stem[:40]}" for row, stem, _ in ANSWERS]
)
def test_an_answer_has_the_shape_of_its_command(row: str, stem: str, answer: dict[str, object]) -> None:
    service, command = stem.split(".")[:2]
    model = _model("s3" if service == "s3api" else service)
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    assert command in operations
    if "Error" not in answer:
        assert faults_of(answer, model.operation_model(operations[command]).output_shape) == ""
