"""The example app of the guide to the construct library."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.stack.library.support import Synthesized, lint_findings

pytestmark = [pytest.mark.synth, pytest.mark.long]

GUIDE = (ROOT / "docs" / "guides" / "construct-library.md").read_text(encoding="utf-8")


def test_the_example_app_synthesizes_with_the_cdk_cli_and_lints_clean(tmp_path: Path) -> None:
    example = re.search(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    assert example
    (tmp_path / "research.py").write_text(example[1], encoding="utf-8")
    command = re.search(r"`cdk synth --app '\S+ (\S+)'`", GUIDE)
    assert command
    subprocess.run(
        [ROOT / ".venv/bin/cdk", "synth", "--quiet", "--app", f"{sys.executable} {command[1]}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        check=True,
    )
    text = (tmp_path / "cdk.out" / "research.template.json").read_text(encoding="utf-8")
    template = Synthesized(json.loads(text))
    assert lint_findings(template.template) == []
    _, launch = template.named("AWS::EC2::LaunchTemplate")
    assert len(launch["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]) == 9
    assert len(template.of_type("AWS::FSx::DataRepositoryAssociation")) == 1
