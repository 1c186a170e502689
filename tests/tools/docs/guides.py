"""A shell for the commands of a guide: what each of them does is done in an embedded cloud of this process.

A deployment is one of the same template on the same cloud as that of the CDK CLI, which other tests run.
Commands for a real account or a real node are in `ELSEWHERE`, each with the reason, and are read as far as
they can be.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jmespath  # type: ignore[import-untyped]  # ships no types
from botocore import xform_name
from botocore.model import ListShape, ServiceModel, StructureShape
from botocore.session import Session

from config.cluster import load_cluster
from scripts.cli.lifecycle.drain import DrainOptions, drain
from scripts.cli.lifecycle.reporter import Reporter
from scripts.cli.lifecycle.scheduler import Scope
from scripts.cli.lifecycle.where import Where
from scripts.cli.main import _parser, main
from scripts.cloud.clients import ACCOUNT_ID
from scripts.tools.docs.__main__ import ROOT
from tests.cli.lifecycle.deployed import Place
from tests.cloud.sandbox import Sandbox, explained

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROFILE = re.compile(r"^```ya?ml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ASSIGNED = re.compile(r"([A-Z_]+)=\$\((.*)\)")

ELSEWHERE: Mapping[tuple[str, ...], str] = {
    ("npx", "cdk", "bootstrap"): "tests/cloud/test_cdk_chain.py runs it; an account here is bootstrapped",
    ("sudo", "ultracluster-node-check"): "a program of nodes: tests/storage/nodes/test_health.py",
    ("sudo", "scontrol"): "Slurm's own, on a node of the cluster: tests/slurm/",
    ("scontrol",): "Slurm's own, on a node of the cluster: tests/slurm/",
    ("sinfo",): "Slurm's own, on a node of the cluster: tests/slurm/",
    ("kubectl",): "Kubernetes' own, with the cluster's address and a person's credentials",
}
"""Commands that are not run here, by their first words, and why."""


def commands(page: str) -> list[str]:
    """The lines of all console blocks of a page, in order."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    lines = (
        line.partition("   # ")[0].rstrip()
        for block in _BLOCK.finditer(text)
        for line in block[1].splitlines()
    )
    return [line for line in lines if line]


def save_profiles(page: str, folder: Path) -> None:
    """The profiles of a page, each under the name that the page calls it by."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for block in _PROFILE.finditer(text):
        name = re.search(r"^name: (\S+)$", block[1], re.MULTILINE)
        assert name is not None, block[1]
        (folder / f"{name[1]}.yaml").write_text(block[1], encoding="utf-8")


def why_elsewhere(words: list[str]) -> str | None:
    """Why a command is not run here; None for one that is."""
    return next((why for first, why in ELSEWHERE.items() if tuple(words[: len(first)]) == first), None)


@dataclass
class Shell:
    """One folder, one account, and the variables that were set."""

    sandbox: Sandbox
    variables: dict[str, str] = field(default_factory=dict)
    run_here: list[str] = field(default_factory=list)

    def run(self, line: str) -> str:
        """Do what a line says; gives what it prints where that is read again."""
        assigned = _ASSIGNED.fullmatch(line)
        if assigned:
            self.variables[assigned[1]] = self.run(assigned[2])
            assert self.variables[assigned[1]] not in ("", "None"), line
            return ""
        words = [self._filled(word) for word in shlex.split(line)]
        if why_elsewhere(words):
            return ""
        self.run_here.append(words[0])
        done: dict[str, Any] = {
            "aws": self._aws,
            "ultracluster": self._ours,
            "npx": self._cdk,
            "make": self._make,
        }
        if words[0] in done:
            return str(done[words[0]](words[1:]) or "")
        assert words[0] in ("cp", "sed"), f"no test knows how to run {words[0]}"
        subprocess.run(["bash", "-euc", line], cwd=self.sandbox.folder, check=True, timeout=30)
        return ""

    def _filled(self, word: str) -> str:
        return re.sub(r"\$([A-Z_]+)", lambda found: self.variables[found[1]], word)

    def _ours(self, words: list[str]) -> None:
        if words[0] == "drain":
            self._drain(words[1:])
            return
        before = Path.cwd()
        os.chdir(self.sandbox.folder)
        try:
            assert main(words) == 0, words
        finally:
            os.chdir(before)

    def _drain(self, words: list[str]) -> None:
        """As the command does, in the account of this process."""
        arguments = _parser().parse_args(["drain", *words])
        cluster = load_cluster(str(self.sandbox.folder / arguments.profile))
        assert cluster.design is not None
        place = Place(ACCOUNT_ID, started=False, cloud=None, sandbox=self.sandbox)
        where = Where(
            target=place, design=cluster.design, profile=arguments.profile, orchestrator=None, aws=False
        )
        options = DrainOptions(
            scope=Scope(groups=tuple(arguments.group)), release=arguments.release, wait=not arguments.no_wait
        )
        drain(where, options, Reporter(line=lambda line: None))

    def _cdk(self, words: list[str]) -> None:
        assert words[:3] == ["cdk", "deploy", "--context"], words
        self._deploy(words[3].removeprefix("profile="))

    def _make(self, words: list[str]) -> None:
        assert words[0] == "deploy", words
        self._deploy(words[1].removeprefix("PROFILE="))

    def _deploy(self, file: str) -> None:
        cluster = load_cluster(str(self.sandbox.folder / file))
        assert cluster.design is not None, [d.message for d in cluster.diagnostics if d.stops]
        stack = self.sandbox.try_deploy(cluster)
        assert stack.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), explained(stack)

    def _aws(self, words: list[str]) -> str:
        service, operation, request, query = read_aws(words)
        answer = getattr(self.sandbox.client(service), operation)(**request)
        found = jmespath.search(query, answer) if query else answer
        return "\n".join("\t".join(map(str, row)) for row in found) if isinstance(found, list) else str(found)


def read_aws(words: list[str]) -> tuple[str, str, dict[str, Any], str | None]:
    """Service, operation, request and query of a line of the AWS CLI, by the service's own model.

    AssertionError for an operation or an option that the service does not have, or one that is missing.
    """
    service, command, options = words[0], words[1], words[2:]
    session = Session()
    model: ServiceModel = session.get_service_model(service)
    names = {xform_name(name, "-"): name for name in model.operation_names}
    assert command in names, f"aws {service} has no {command}"
    shape = model.operation_model(names[command]).input_shape
    assert isinstance(shape, StructureShape)
    members = {xform_name(name, "-"): name for name in shape.members}
    request: dict[str, Any] = {}
    query: str | None = None
    while options:
        option = options.pop(0).removeprefix("--")
        values = []
        while options and not options[0].startswith("--"):
            values.append(options.pop(0))
        if option == "query":
            (query,) = values
            jmespath.compile(query)
        elif option == "output":
            assert values == ["text"]
        else:
            assert option in members, f"aws {service} {command} has no --{option}"
            member = shape.members[members[option]]
            request[members[option]] = (
                [_item(value, member.member) for value in values]
                if isinstance(member, ListShape)
                else values[0]
            )
    missing = set(shape.required_members) - request.keys()
    assert not missing, f"aws {service} {command} needs {missing}"
    return service, xform_name(names[command]), request, query


def _item(value: str, shape: Any) -> Any:
    """An item of a list: text, or the short form of a structure (Name=NAME,Values=ONE)."""
    if not isinstance(shape, StructureShape):
        return value
    pairs = (part.partition("=") for part in value.split(","))
    found: dict[str, Any] = {}
    for key, _, text in pairs:
        assert key in shape.members, f"{key} in {value}"
        found[key] = [text] if isinstance(shape.members[key], ListShape) else text
    return found
