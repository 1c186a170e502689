"""What the rules say of a profile is part of its review, where the profile before did not have it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from config.diagnostics import Diagnostic, Severity
from scripts.cli.main import main
from scripts.cli.review.inputs.side import Side, StackTemplate
from scripts.cli.review.report import Report, review_sides
from tests.review.support import ONE, template, write

QUOTA = Diagnostic(
    code="LUS006", severity=Severity.WARNING, path="storage.lustre", message="115200 GiB is a lot",
    hint="ask for more", source="https://docs.aws.amazon.com", file="mine.yaml", line=3,
)  # fmt: skip
ERROR = replace(QUOTA, severity=Severity.ERROR)
Found = tuple[Diagnostic, ...] | None


def between(old: Found, new: Found, *, name: str = "mine") -> Report:
    body = template(ONE["Resources"])
    was, will = (
        Side("x", (StackTemplate(template=body, name=stack, found=found),))
        for stack, found in (("mine", old), (name, new))
    )
    return review_sides(was, will)


@pytest.mark.parametrize(
    ("old", "new", "reported", "status"),
    [
        ((), (QUOTA,), ["LUS006"], "changed"),
        ((QUOTA,), (QUOTA,), [], "unchanged"),
        ((replace(QUOTA, line=9, file="other.yaml"),), (QUOTA,), [], "unchanged"),
        ((replace(QUOTA, message="105600 GiB is a lot"),), (QUOTA,), ["LUS006"], "changed"),
        ((replace(QUOTA, waived="granted"),), (QUOTA,), ["LUS006"], "changed"),
        ((QUOTA,), (), [], "unchanged"),
        # of a template nobody knows what the rules said
        (None, (QUOTA,), [], "unchanged"),
        ((QUOTA,), None, [], "unchanged"),
    ],
)
def test_what_the_old_profile_did_not_have_is_reported(
    old: Found, new: Found, reported: list[str], status: str
) -> None:
    (review,) = between(old, new).stacks
    assert ([found.code for found in review.diagnostics], review.status) == (reported, status)


@pytest.mark.parametrize(("found", "status"), [(QUOTA, 0), (ERROR, 1), (replace(ERROR, waived="granted"), 0)])
def test_the_exit_status_is_1_for_an_error_that_nobody_accepts(found: Diagnostic, status: int) -> None:
    assert between((), (found,)).exit_status == status


def test_of_another_stack_it_is_reported_too() -> None:
    (review,) = between((), (QUOTA,), name="another").stacks
    assert [found.code for found in review.diagnostics] == ["REV051", "LUS006"]


@pytest.mark.long
@pytest.mark.synth
def test_two_profiles_are_reviewed_with_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = "extends: p6-b200\nname: mine\nstorage: {lustre: {capacity_gib: %d}}\n"
    write(tmp_path, {"old.yaml": small % 96000, "new.yaml": small % 115200})
    monkeypatch.chdir(tmp_path)
    assert main(["review", "old.yaml", "new.yaml", "--json"]) == 0
    (stack,) = json.loads(capsys.readouterr().out)["stacks"]
    found = {d["code"]: (d["path"], d["file"], d["line"]) for d in stack["diagnostics"]}
    assert found["LUS006"] == ("storage.lustre.capacity_gib", "new.yaml", 3)
    # a placeholder that both have is not new
    assert not any(code.startswith("CAP") for code in found)
