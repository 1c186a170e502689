"""The workflows of the repository and of the documentation, and their steps as a runner carries them out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scripts.tools.docs.__main__ import ROOT

PAGE = "docs/guides/pull-requests.md"
FOLDER = ".github/workflows"
_BLOCK = re.compile(r"^```yaml\n(# \.github/workflows/.*?)^```$", re.MULTILINE | re.DOTALL)
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
OWN = f"{FOLDER}/ultracluster-review.yml"

FAKE_GH = f"""#!{sys.executable}
import json, os, pathlib, sys
asked = sys.argv[1:]
body = sys.stdin.read() if "--input" in asked else ""
state = pathlib.Path(os.environ["GH_STATE"])
comments = json.loads(state.read_text())
method = asked[asked.index("--method") + 1] if "--method" in asked else "GET"
path = next(a for a in asked if a.startswith("repos/"))
with open(os.environ["GH_LOG"], "a") as log:
    print(json.dumps([method, path, os.environ.get("GH_TOKEN")]), file=log)
if os.environ.get("GH_TOKEN") != "token":
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
if method == "GET":
    half = len(comments) // 2
    print(json.dumps(comments[:half]) + "\\n" + json.dumps(comments[half:]))
elif method == "POST":
    bot = {{"login": "github-actions[bot]"}}
    comments.append({{"id": 900 + len(comments), "user": bot, **json.loads(body)}})
else:
    next(c for c in comments if c["id"] == int(path.rsplit("/", 1)[1])).update(json.loads(body))
state.write_text(json.dumps(comments))
"""


def workflows() -> dict[str, str]:
    """Every workflow that we have or show, by its place."""
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / FOLDER).glob("*.y*ml"))
    }
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
            found[page.relative_to(ROOT).as_posix()] = block[1]
    return found


def parsed(text: str) -> dict[str, Any]:
    """A workflow as data; YAML 1.1 takes `on` for true, GitHub does not."""
    data: dict[Any, Any] = yaml.safe_load(text)
    return {("on" if key is True else key): value for key, value in data.items()}


def jobs(text: str) -> Iterator[dict[str, Any]]:
    yield from parsed(text)["jobs"].values()


def steps(text: str) -> list[dict[str, Any]]:
    """All steps of a workflow, in order."""
    return [step for job in jobs(text) for step in job["steps"]]


@dataclass
class Runner:
    """Carries out the `run:` steps of a workflow in a checkout, with GitHub's side played by this test.

    `context` has what the expressions of the workflow can name; one that it lacks is an error.
    """

    checkout: Path
    work: Path
    context: dict[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)

    def run(self, text: str) -> dict[str, int | None]:
        """The exit status of each named `run:` step, None for one that was left out; stops at a failure."""
        self.work.mkdir(exist_ok=True)
        self._prepare()
        ended: dict[str, int | None] = {}
        for step in steps(text):
            if (
                "run" not in step or step["name"] == "Set up"
            ):  # what `make setup` does, which made this very Python
                continue
            ended[step["name"]] = self._step(step) if self._is_wanted(step) else None
            if ended[step["name"]]:
                break
        return ended

    @property
    def asked(self) -> list[list[str]]:
        """What `gh` was asked: method, path and token."""
        log = self.work / "gh.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def state(self) -> list[dict[str, Any]]:
        """The comments of the pull request as they are now."""
        found: list[dict[str, Any]] = json.loads((self.work / "comments.json").read_text())
        return found

    @property
    def summary(self) -> str:
        return (self.work / "summary.md").read_text(encoding="utf-8")

    def _prepare(self) -> None:
        for name in ("summary.md", "output", "gh.log"):
            (self.work / name).unlink(missing_ok=True)
        (self.work / "bin").mkdir(exist_ok=True)
        gh = self.work / "bin" / "gh"
        gh.write_text(FAKE_GH)
        gh.chmod(0o755)
        (self.work / "comments.json").write_text(json.dumps(self.comments))

    def _step(self, step: dict[str, Any]) -> int:
        environment = {
            **os.environ,
            "PATH": f"{self.work / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_REPOSITORY": self.context["github.repository"],
            "GITHUB_STEP_SUMMARY": str(self.work / "summary.md"),
            "GITHUB_OUTPUT": str(self.work / "output"),
            "RUNNER_TEMP": str(self.work),
            "GH_STATE": str(self.work / "comments.json"),
            "GH_LOG": str(self.work / "gh.log"),
            **self.environment,
            **{name: self._filled(str(value)) for name, value in step.get("env", {}).items()},
        }
        # as GitHub starts a step whose shell is bash
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        folder = self.checkout / step.get("working-directory", ".")
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        (self.work / "last.txt").write_text(done.stdout + done.stderr)
        for line in (
            (self.work / "output").read_text().splitlines() if (self.work / "output").exists() else []
        ):
            name, _, value = line.partition("=")
            if "id" in step:
                self.context[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _value(self, term: str) -> str:
        return term[1:-1] if term.startswith("'") else self.context[term]

    def _is_wanted(self, step: dict[str, Any]) -> bool:
        """An `if` of comparisons that all must hold, which is all that these workflows have."""
        for part in filter(None, str(step.get("if", "")).split("&&")):
            left, sign, right = re.split(r"\s*(==|!=)\s*", part.strip())
            if (self._value(left) == self._value(right)) is not (sign == "=="):
                return False
        return True
