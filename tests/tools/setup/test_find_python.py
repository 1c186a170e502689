"""Which Python makes the environment, and what is said when there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts/tools/setup/find-python.sh"


class Machine:
    """A PATH that holds only the fake interpreters of a test, and what the script itself calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for tool in ("sed", "cut"):
            (folder / tool).symlink_to(f"/usr/bin/{tool}")

    def has(self, name: str, version: str, status: int) -> None:
        """Adds an interpreter that answers the script's question."""
        fake = self.folder / name
        fake.write_text(f"#!/bin/sh\necho {version}\necho /real/{name}-{version}\nexit {status}\n")
        fake.chmod(0o755)

    def ask(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(SCRIPT)],
            env={"PATH": str(self.folder), **environment},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_newest_supported_python_is_taken(machine: Machine) -> None:
    machine.has("python3", "3.11.2", 0)
    machine.has("python3.12", "3.12.1", 0)
    assert machine.ask().stdout == "/real/python3.12-3.12.1\n"


def test_a_python_that_does_not_start_is_passed_over(machine: Machine) -> None:
    machine.has("python3.13", "", 127)
    machine.has("python3", "3.11.2", 0)
    assert machine.ask().stdout == "/real/python3-3.11.2\n"


def test_a_python_without_venv_is_passed_over(machine: Machine) -> None:
    machine.has("python3.13", "3.13.0", 12)
    machine.has("python3.11", "3.11.2", 0)
    assert machine.ask().stdout == "/real/python3.11-3.11.2\n"


def test_the_python_that_the_user_names_is_taken(machine: Machine) -> None:
    machine.has("python3.13", "3.13.0", 0)
    machine.has("mine", "3.12.9", 0)
    assert machine.ask(PYTHON="mine").stdout == "/real/mine-3.12.9\n"


def test_no_python_at_all_says_what_to_install(machine: Machine) -> None:
    answer = machine.ask()
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[0] == "error: ultracluster needs Python 3.11 or newer; found: none"
    assert "apt install python3 python3-venv" in answer.stderr


def test_an_old_python_is_named_with_its_version(machine: Machine) -> None:
    machine.has("python3", "3.9.2", 11)
    answer = machine.ask()
    assert answer.returncode == 2
    assert "found: python3 (3.9.2)" in answer.stderr


def test_a_missing_venv_names_the_package_that_has_it(machine: Machine) -> None:
    machine.has("python3", "3.11.2", 12)
    answer = machine.ask()
    assert answer.returncode == 2
    assert answer.stderr.splitlines() == [
        "error: Python 3.11.2 is here, but without its modules venv and ensurepip",
        "hint: on Debian or Ubuntu run: apt install python3.11-venv",
    ]


def test_inside_a_virtual_environment_the_answer_is_the_interpreter_behind_it(machine: Machine) -> None:
    answer = machine.ask(PYTHON=sys.executable).stdout.strip()
    assert answer == getattr(sys, "_base_executable", sys.executable)
