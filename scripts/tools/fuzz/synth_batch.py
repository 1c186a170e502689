"""A process that synthesizes the cases of a folder, checks their templates, and deploys every n-th.

One JSON line a case. The Node kernel never frees an object, so a batch is a process.
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
    """What came of one case; `deployed` is False where the embedded cloud cannot play the place."""

    findings: tuple[Finding, ...]
    deployed: bool


def check_synthesis(case: Case, files: Path, *, deploy: bool) -> Synthesis:
    """Everything that is wrong with the template of one accepted case, whose files lie in a folder."""
    from scripts.tools.fuzz.checks.deployments import check_deployment
    from scripts.tools.fuzz.checks.templates import check_template, template_of

    findings: list[Finding] = []
    deployed = False
    with TemporaryDirectory(prefix="fuzz-synth-") as out:
        cluster = case.load(files)
        told = [f"{d.code} {d.message}" for d in cluster.diagnostics]
        assert cluster.design is not None, f"only accepted cases are synthesized: {told}"
        try:
            text = template_of(cluster, Path(out) / "one")
            if template_of(cluster, Path(out) / "two") != text:
                findings.append(Finding("a template is the same bytes every time", "it differs"))
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
    """Print one line a case; findings are data here, so the status is 0."""
    parser = argparse.ArgumentParser(prog="synth_batch", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deploy-every", type=int, default=0, help="deploy every n-th case; 0: none")
    options = parser.parse_args(argv)
    os.environ["CDK_VALIDATION"] = "false"  # the second opinion that costs more than the synthesis
    for number, (case, files) in enumerate(stored(options.folder)):
        deploy = bool(options.deploy_every) and number % options.deploy_every == 0
        with redirect_stdout(sys.stderr):  # standard output is for the lines
            seen = check_synthesis(case, files, deploy=deploy)
        print(json.dumps({"number": number, **asdict(seen)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
