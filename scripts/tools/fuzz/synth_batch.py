"""Synthesize the cases in a folder, check each template, and deploy every n-th case.

Prints one JSON line for each case. The Node kernel of jsii never frees an object, so each batch is a process.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.checks.properties import raised
from scripts.tools.fuzz.checks.waived import accepts_errors
from scripts.tools.fuzz.finding import Finding
from scripts.tools.fuzz.stored import stored


@dataclass(frozen=True)
class Synthesis:
    """The result of one case; `deployed` is False if the embedded cloud does not have the zone."""

    findings: tuple[Finding, ...]
    deployed: bool


def check_synthesis(case: Case, files: Path, *, deploy: bool) -> Synthesis:
    """Return the findings of an accepted case's template; also those of its deployment if `deploy` is set."""
    from scripts.tools.fuzz.checks.deployments import check_deployment
    from scripts.tools.fuzz.checks.templates import check_template, template_of

    findings: list[Finding] = []
    deployed = False
    with TemporaryDirectory(prefix="fuzz-synth-") as out:
        cluster = case.load(files)
        messages = [f"{d.code} {d.message}" for d in cluster.diagnostics]
        assert cluster.design is not None, f"the case is not accepted: {messages}"
        try:
            text = template_of(cluster, Path(out) / "one")
            if template_of(cluster, Path(out) / "two") != text:
                findings.append(Finding("a template has the same bytes each time", "it differs"))
            if accepts_errors(cluster):
                return Synthesis(tuple(findings), deployed)
            findings += check_template(cluster.design, text)
            if deploy:
                findings += check_deployment(cluster, text, files, Path(out), Path(out) / "one")
                deployed = True
        except RehearsalError:
            pass  # a zone that moto's Region does not have
        except Exception as error:
            findings.append(raised("every accepted profile synthesizes and deploys", error))
    return Synthesis(tuple(dict.fromkeys(findings)), deployed)


def main(argv: list[str] | None = None) -> int:
    """Print one line for each case; findings are data, so the exit status is always 0."""
    parser = argparse.ArgumentParser(prog="synth_batch", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--deploy-every", type=int, default=0, help="deploy every n-th case (0: deploy no case)"
    )
    options = parser.parse_args(argv)
    os.environ["CDK_VALIDATION"] = "false"  # CDK's own template validation takes longer than the synthesis
    for number, (case, files) in enumerate(stored(options.folder)):
        deploy = bool(options.deploy_every) and number % options.deploy_every == 0
        with redirect_stdout(sys.stderr):  # standard output is only for the JSON lines
            seen = check_synthesis(case, files, deploy=deploy)
        print(json.dumps({"number": number, **asdict(seen)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
