"""How long things take on AWS: each figure is of a type that is played, and says where it is from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from scripts.cloud import durations
from scripts.cloud.durations import duration_s
from scripts.cloud.resources.registry import modelled_types

_TEXT = Path(durations.__file__).with_name("data").joinpath("durations.yaml").read_text(encoding="utf-8")
_TYPES = yaml.safe_load(_TEXT)["types"]
_UNPUBLISHED = yaml.safe_load(_TEXT)["unpublished"]


@pytest.mark.parametrize("resource_type", sorted(_TYPES))
def test_a_figure_is_of_a_type_that_is_played_and_has_its_source_above_it(resource_type: str) -> None:
    above = re.search(rf"((?:^  #.*\n)+)^  {resource_type}:", _TEXT, flags=re.MULTILINE)
    assert resource_type in modelled_types()
    assert above is not None
    assert "https://" in above.group(1)
    assert set(_TYPES[resource_type]) <= {"create_s", "update_s", "delete_s"}


@pytest.mark.parametrize("resource_type", sorted(_UNPUBLISHED))
def test_what_nothing_is_published_of_is_played_and_has_no_figure(resource_type: str) -> None:
    assert resource_type in modelled_types()
    actions = _UNPUBLISHED[resource_type]
    assert [action for action in actions if durations.stated_s(resource_type, action) is not None] == []


def test_an_action_without_a_figure_answers_at_once() -> None:
    assert duration_s("AWS::FSx::FileSystem", "create") == 600
    assert duration_s("AWS::FSx::FileSystem", "delete") == duration_s("AWS::S3::Bucket", "create") == 3
