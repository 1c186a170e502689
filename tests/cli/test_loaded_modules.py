"""A command loads no more of our modules than its row: most of its time goes into importing them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

CODE = """
import sys
from scripts.cli.main import main
assert main(sys.argv[1:]) == 0
print(len([name for name in sys.modules if name.partition(".")[0] in ("config", "scripts")]), file=sys.stderr)
"""


@pytest.mark.parametrize(("verb", "most"), [("validate", 300), ("plan", 370)])
def test_a_command_loads_no_more_modules_than_its_row(verb: str, most: int) -> None:
    command = [sys.executable, "-c", CODE, verb, "p6-b200"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stderr.split()[-1]) <= most  # 291 and 360 today
