"""Programs of the machine that tests run as they are."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import pytest


def needed(name: str) -> Path:
    """Where a program is; without it the test is skipped, and fails where tools are required."""
    # those that come with the development packages are beside Python, whatever PATH says
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        lacks(f"needs {name}")
    return Path(found)


def lacks(reason: str) -> NoReturn:
    """Skip with that reason; where the tools are required, fail with it."""
    if os.environ.get("CI") or os.environ.get("ULTRACLUSTER_REQUIRE_TOOLS"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
