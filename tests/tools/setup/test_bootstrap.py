"""The set-up: what is done again, what is not, and what a failing step says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.tools.setup import bootstrap
from scripts.tools.setup.failures import SetupError, explain
from scripts.tools.setup.steps import Step, Toolbox, carry_out, only_one, records


class Workshop:
    """A folder with steps that note that they ran."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ran: list[str] = []
        (root / "lock").write_text("one")

    def step(
        self,
        name: str,
        action: Callable[[Toolbox], None] | None = None,
        registry: str = "",
        product: str = "",
    ) -> Step:
        def make(tools: Toolbox) -> None:
            self.ran.append(name)
            if name == "environment":
                records(self.root).mkdir(parents=True, exist_ok=True)
            if action:
                action(tools)

        products = [self.root / product] if product else []
        return Step(
            name=name,
            title=name,
            inputs=[self.root / "lock"],
            products=products,
            make=make,
            registry=registry,
        )

    def run(self, *steps: Step) -> list[str]:
        self.ran.clear()
        carry_out(steps, self.root, sys.executable, stamps=["run"])
        return list(self.ran)


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def program(text: str) -> Callable[[Toolbox], None]:
    """A step that runs a Python program."""
    return lambda tools: tools.run([sys.executable, "-c", text])


def failing(output: str) -> Callable[[Toolbox], None]:
    """A step whose program prints something and fails, as pip and npm do."""
    return program(f"import sys; print({output!r}); sys.exit(1)")


def test_a_second_run_does_nothing(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    steps = workshop.step("environment"), workshop.step("packages")
    assert workshop.run(*steps) == ["environment", "packages"]
    capsys.readouterr()
    assert workshop.run(*steps) == []
    assert capsys.readouterr().out == ""


def test_the_stamp_is_set_only_when_all_steps_are_done(workshop: Workshop) -> None:
    with pytest.raises(SetupError):
        workshop.run(workshop.step("environment"), workshop.step("packages", failing("no")))
    assert not (records(workshop.root) / "run").exists()
    workshop.run(workshop.step("environment"), workshop.step("packages"))
    assert (records(workshop.root) / "run").exists()


def test_a_failed_run_goes_on_from_the_step_that_failed(workshop: Workshop) -> None:
    with pytest.raises(SetupError):
        workshop.run(
            workshop.step("environment"), workshop.step("packages"), workshop.step("cli", failing("no"))
        )
    again = workshop.run(workshop.step("environment"), workshop.step("packages"), workshop.step("cli"))
    assert again == ["cli"]


def test_an_interrupted_step_is_done_again(workshop: Workshop) -> None:
    def interrupt(_: Toolbox) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workshop.run(workshop.step("environment"), workshop.step("packages", interrupt))
    assert workshop.run(workshop.step("environment"), workshop.step("packages")) == ["packages"]


@pytest.mark.long
def test_an_interrupt_stops_the_program_of_the_step(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    tools = Toolbox(root=tmp_path, python=sys.executable, log=tmp_path / "log", on_wait=interrupt)
    with pytest.raises(KeyboardInterrupt):
        # the test itself would time out if the program went on
        tools.run([sys.executable, "-c", "import time; time.sleep(3600)"])


def test_changed_content_is_done_again_and_a_changed_time_is_not(workshop: Workshop) -> None:
    steps = workshop.step("environment"), workshop.step("packages")
    workshop.run(*steps)
    os.utime(workshop.root / "lock", (1, 1))
    assert workshop.run(*steps) == []
    (workshop.root / "lock").write_text("two")
    assert workshop.run(*steps) == ["environment", "packages"]


def test_a_product_that_is_gone_is_made_again(workshop: Workshop) -> None:
    make = program("open('cdk', 'w')")
    steps = workshop.step("environment"), workshop.step("cli", make, product="cdk")
    workshop.run(*steps)
    (workshop.root / "cdk").unlink()
    assert workshop.run(*steps) == ["cli"]


def test_a_new_environment_makes_all_later_steps_again(workshop: Workshop) -> None:
    make = program("open('python', 'w')")
    steps = workshop.step("environment", make, product="python"), workshop.step("packages")
    workshop.run(*steps)
    (workshop.root / "python").unlink()
    assert workshop.run(*steps) == ["environment", "packages"]


def test_steps_say_which_one_runs_and_how_long_it_took(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.run(workshop.step("environment"), workshop.step("packages"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "[1/2] environment ..."
    assert lines[3] == "[2/2] packages ..."
    assert lines[4].strip().startswith("done in ")


def test_programs_compile_bytecode_and_ask_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    tools = Toolbox(root=tmp_path, python=sys.executable, log=tmp_path / "log")
    tools.run([sys.executable, "-c", "import sys; print(sys.dont_write_bytecode, repr(sys.stdin.read()))"])
    assert (tmp_path / "log").read_text().strip() == "False ''"


def test_a_second_set_up_waits_for_the_first(tmp_path: Path) -> None:
    code = f"from scripts.tools.setup.steps import *\nwith only_one(Path({str(tmp_path)!r})): print('mine')"
    with only_one(tmp_path):
        second = subprocess.Popen(
            [sys.executable, "-c", code], cwd=bootstrap.ROOT, stdout=subprocess.PIPE, text=True
        )
        assert second.stdout
        assert second.stdout.readline() == "waiting for another set-up of this checkout\n"
    assert second.communicate()[0] == "mine\n"


OFFLINE_PIP = (
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(: Temporary failure"
    " in name resolution)': /simple/boto3/\n"
    "ERROR: Could not find a version that satisfies the requirement boto3==1.44.8 (from versions: none)\n"
    "ERROR: No matching distribution found for boto3==1.44.8"
)
WRONG_HASH = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n    boto3==1.44.8"


@pytest.mark.parametrize(
    ("registry", "output", "message"),
    [
        ("PyPI", OFFLINE_PIP, "the package registry (PyPI) is not reachable"),
        (
            "npm",
            "npm error code ENOTFOUND",
            "the package registry (npm) is not reachable",
        ),
        ("npm", "npm error code E503", "the package registry (npm) is not reachable"),
        ("PyPI", "ERROR: HTTP error 403 while getting x", "the package registry (PyPI)"),
        ("PyPI", WRONG_HASH, "a package differs from its hash in the lock file"),
        ("npm", "npm error code EINTEGRITY", "a package differs from its hash in the lock file"),
        (
            "PyPI",
            "ERROR: No matching distribution found for x==1",
            "has no wheel for this Python and platform",
        ),
        ("PyPI", "OSError: [Errno 28] No space left on device", "the disk is full"),
        ("", "ConnectionError", "see the lines above"),
        ("PyPI", "Segmentation fault", "see the lines above"),
    ],
)
def test_a_failed_step_is_explained_by_its_output(registry: str, output: str, message: str) -> None:
    error = explain("CDK CLI", registry, output)
    assert str(error).startswith("CDK CLI: ")
    assert message in str(error)
    assert error.hint


@pytest.fixture
def fake_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose environment holds a pip that has no network."""
    for name in ("requirements.txt", "requirements-dev.txt", "pyproject.toml", "package-lock.json"):
        (tmp_path / name).write_text("")
    wrapper = tmp_path / "scripts/tools/setup/cdk-wrapper.sh"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text("")

    def environment_with_fake_pip(tools: Toolbox) -> None:
        records(tools.root).mkdir(parents=True)
        (tools.venv / "bin").mkdir()
        for name in ("python", "pip"):
            fake = tools.venv / "bin" / name
            fake.write_text(f"#!/bin/sh\ncat <<'EOF'\n{OFFLINE_PIP}\nEOF\nexit 1\n")
            fake.chmod(0o755)

    monkeypatch.setattr(bootstrap, "make_environment", environment_with_fake_pip)
    return tmp_path


def test_without_a_network_the_end_says_which_step_needs_it(
    fake_checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main(["run"], root=fake_checkout) == 2
    message, hint = capsys.readouterr().err.splitlines()[-2:]
    assert message == (
        "error: set-up failed: Python packages and Node: the package registry (PyPI) is not reachable"
    )
    assert hint.startswith("hint: check the network and the proxy")


def test_an_interrupt_ends_without_a_traceback(
    fake_checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: Toolbox) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "make_environment", interrupt)
    assert bootstrap.main(["run"], root=fake_checkout) == 130
    assert capsys.readouterr().err.strip() == "interrupted: the next run continues with this step"


def test_the_run_time_goal_leaves_the_development_packages_out(tmp_path: Path) -> None:
    run = [step.name for step in bootstrap.plan(tmp_path, "run")]
    dev = [step.name for step in bootstrap.plan(tmp_path, "dev")]
    assert dev == [*run, "dev", "readers"]
