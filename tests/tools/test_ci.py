"""Continuous integration runs in a clone under an empty folder, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAKE = """#!/bin/sh
echo "make $*: $PWD: $(ls -A ..):" $(ls -A) >> "$RECORD"
[ "$1" = test-all ] || exit 0
sleep 60 </dev/null >/dev/null 2>&1 &
echo $! > "$RECORD.sleeper"
echo "=== 3 passed, 1 skipped in 2.00s ==="
echo "a line after it"
exit "$STATUS"
"""


@pytest.mark.parametrize("status", [0, 1])
def test_ci_runs_in_a_clone_with_nothing_beside_it_and_ends_with_the_closing_line(
    status: int, tmp_path: Path
) -> None:
    checkout, programs, temporary = (tmp_path / name for name in ("checkout", "programs", "temporary"))
    for folder in (checkout / ".ci", checkout / "scripts/tools/setup", programs, temporary):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", checkout / ".ci/run")
    (checkout / "scripts/tools/setup/find-python.sh").write_text("")
    for name, text in {"make": MAKE, "apt-get": "#!/bin/sh\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    git = ("git", "-C", str(checkout), "-c", "user.name=a", "-c", "user.email=a@example.com")
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "one")):
        subprocess.run((*git, *command), check=True)
    (checkout / "uncommitted").write_text("")
    record = tmp_path / "record"
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "TMPDIR": str(temporary),
        "RECORD": str(record),
        "STATUS": str(status),
    }
    ran = subprocess.run(
        [".ci/run"], cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == status, ran.stderr
    if not status:
        assert ran.stdout.splitlines()[-1] == "=== 3 passed, 1 skipped in 2.00s ==="
    assert sorted(path.name for path in checkout.iterdir()) == [".ci", ".git", "scripts", "uncommitted"]
    lines = record.read_text().splitlines()
    assert lines[-1].startswith("make test-all: ")
    for line in lines:
        _, place, beside = line.split(": ")[:3]
        assert (Path(place).parents[1], beside) == (temporary, "ultracluster")
    assert "uncommitted" not in record.read_text()
    assert list(temporary.iterdir()) == []
    # a process that has ended and that its parent has not waited for has an empty command line
    left = Path("/proc") / Path(f"{record}.sleeper").read_text().strip() / "cmdline"
    assert not (left.exists() and left.read_bytes())
