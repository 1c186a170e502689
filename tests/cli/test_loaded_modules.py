"""What commands import, in numbers: most of their time is importing."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from config.diagnostics import Diagnostic, Severity
from scripts.cli.output import console, line, write_diagnostics

ROOT = Path(__file__).resolve().parents[2]

MODULES = {
    "validate p6-b200": 187,
    "validate p6-b200-data": 167,
    "validate p6-b200 --orchestrator eks": 246,
    "plan p6-b200": 265,
    "profiles": 197,
    "--help": 20,
}
"""The most modules of config and scripts that a command imports."""

NEVER = (
    "aws_cdk", "jsii", "boto3", "moto", "cfnlint", "importlib.metadata", "difflib",
    "config.rules.codes", "config.rules.deployed", "config.rules.access", "config.rules.money",
    "config.rules.slurm.parallelcluster", "config.design.report.parallelcluster", "config.review",
)  # fmt: skip
"""What neither needs: rules are imported for the kinds of part that a profile has."""

OF_KUBERNETES = (
    "config.rules.kubernetes",
    "config.design.kubernetes.plan",
    "config.design.kubernetes.hyperpod",
)


def loaded(command: str) -> list[str]:
    """The modules that a command leaves behind."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from scripts.cli.main import main\n"
        f"sys.exit(main({command.split()!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize(("command", "most"), MODULES.items(), ids=list(MODULES))
def test_a_command_imports_no_more_modules_than_the_table_says(command: str, most: int) -> None:
    own = [name for name in loaded(command) if name.partition(".")[0] in ("config", "scripts")]
    assert len(own) <= most


@pytest.mark.parametrize("command", ["validate p6-b200", "plan p6-b200"])
def test_a_profile_imports_only_the_rules_and_plans_that_it_has_parts_for(command: str) -> None:
    unwanted = (*NEVER, *OF_KUBERNETES)
    assert [name for name in loaded(command) if name.startswith(unwanted)] == []


def test_models_of_a_profile_leave_no_annotation_as_text() -> None:
    """Pydantic would compile each of them."""
    files = [(file.name, file.read_text()) for file in (ROOT / "config" / "profile").rglob("*.py")]
    models = [(name, text) for name, text in files if re.search(r"^class \w+\(Model\):", text, re.MULTILINE)]
    assert len(models) > 20
    assert [name for name, text in models if "import annotations" in text] == []


@pytest.mark.parametrize("waived", [None, "known, and accepted for now"])
@pytest.mark.parametrize("file", [None, "my profile.yaml"])
def test_a_log_holds_the_same_text_with_rich_and_without(
    waived: str | None, file: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    message = "arn:aws:secretsmanager:us-west-2:123456789012:secret:[bold]db[/] has  two blanks, ✓ and 東京 "
    found = Diagnostic(
        code="CAP011", severity=Severity.NOTE, path="compute.groups[2].name", message=message, hint="",
        source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html", line=7,
        file=file, waived=waived,
    )  # fmt: skip
    long = replace(found, message=message * 5, hint="write two\nlines, or one")
    for diagnostic in (found, long):
        write_diagnostics([diagnostic])
        plain = capsys.readouterr().out
        write_diagnostics([diagnostic], out=console())
        assert plain == capsys.readouterr().out
    line(message, indent=2)
    plain = capsys.readouterr().out
    console().print(f"  {message}")
    assert plain == capsys.readouterr().out
