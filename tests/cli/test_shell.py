"""What the machine's bash says of a script is part of `validate`, and never runs any of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.cluster import load_cluster
from scripts.cli.main import main
from scripts.cli.shell import bash_says

PROFILE = "extends: p6-b200\nname: mine\norchestrator: {lifecycle: {kind: extended, script: setup.sh}}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("if true; then\necho\n", (3, "syntax error: unexpected end of file")),
        ("echo )\n", (1, "syntax error near unexpected token `)'")),
        ("cat <<EOF\na\n", (2, "here-document at line 1 delimited by end-of-file (wanted `EOF')")),
        ("cat <<EOF\na\nEOF\n", None),
        ('case "$1" in a) echo ;; esac\n', None),
    ],
)
def test_bash_names_the_line_where_it_stops(text: str, said: tuple[int, str] | None) -> None:
    assert bash_says(text) == said


def test_nothing_of_the_script_runs(tmp_path: Path) -> None:
    assert bash_says(f"touch {tmp_path}/ran\n") is None
    assert list(tmp_path.iterdir()) == []


def test_without_a_bash_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError("bash")

    monkeypatch.setattr("subprocess.run", missing)
    assert bash_says("echo )\n") is None


def test_validate_asks_bash_and_the_core_starts_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.yaml").write_text(PROFILE)
    (tmp_path / "setup.sh").write_text("#!/usr/bin/env bash\necho )\n")
    monkeypatch.chdir(tmp_path)
    assert main(["validate", "my.yaml"]) == 1
    assert (
        "error[HYP026] orchestrator.lifecycle.script: the shell cannot parse line 2 of setup.sh"
        in capsys.readouterr().out
    )
    assert main(["plan", "my.yaml"]) == 1
    assert load_cluster("my.yaml").exit_status == 0
