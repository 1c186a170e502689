"""What the examples of preflight say that AWS answers is what botocore's service models have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import botocore.session
from botocore import xform_name
from botocore.model import ServiceModel

from config.rules.example_rows import PreflightExample
from tests.preflight.fake_cloud import faults_of
from tests.tables import each_row, rows_of


def _answers() -> Iterator[tuple[str, str, dict[str, object]]]:
    for row in rows_of(PreflightExample):
        for stem, answer in row.answers.items():
            yield row.name, stem, answer


@lru_cache(maxsize=64)
def _model(service: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(service)


@each_row("row, stem, answer", _answers, lambda row, stem, _: f"{row}-{stem[:40]}")
def test_an_answer_has_the_shape_of_its_command(row: str, stem: str, answer: dict[str, object]) -> None:
    service, command = stem.split(".")[:2]
    model = _model("s3" if service == "s3api" else service)
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    assert command in operations
    if "Error" not in answer:
        assert faults_of(answer, model.operation_model(operations[command]).output_shape) == ""
