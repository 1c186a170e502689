"""What is proven: every built-in profile under every control plane that it can have, and the variants."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from config.cluster import Cluster, load_cluster
from config.proof.artefacts import Artefacts
from config.proof.model import Proof
from config.proof.walk import prove
from config.proof.wanted import Wanted, jobs_of, wanted_of
from scripts.cli.proof.inputs import read_folder
from tests.conftest import Synthesized, read_table

Tried = Callable[[str, str | None], Synthesized]

KINDS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
VARIANTS: dict[str, dict[str, Any]] = read_table(Path(__file__).parent / "variants.yaml")


@dataclass(slots=True)
class EditableArtefacts:
    """Artefacts that can be changed, with what is looked for in them."""

    cluster: Cluster
    wanted: Wanted
    stack: str
    templates: dict[str, dict[str, Any]]
    bundles: dict[str, dict[str, str]]
    jobs: dict[str, list[Any]]

    def prove(self) -> Proof:
        """Walk the links as they are now."""
        return prove(self.wanted, Artefacts(self.stack, self.templates, self.bundles, self.jobs))

    def broken(self) -> set[tuple[str, str]]:
        """Names and subjects of the broken links."""
        return {(link.name, link.subject) for link in self.prove().broken}

    def copy(self) -> EditableArtefacts:
        """The same, to be changed."""
        return EditableArtefacts(
            self.cluster,
            self.wanted,
            self.stack,
            copy.deepcopy(self.templates),
            copy.deepcopy(self.bundles),
            copy.deepcopy(self.jobs),
        )


def artefacts_of(profile: str, orchestrator: str | None, tried: Tried) -> EditableArtefacts:
    """What is generated of a profile, synthesized once in the whole run."""
    cluster = load_cluster(profile, orchestrator=orchestrator)
    assert cluster.design is not None, [d.message for d in cluster.diagnostics]
    made = [tried(profile, orchestrator)]
    if cluster.data_profile:
        made.append(tried(cluster.data_profile, None))
    bundles: dict[str, dict[str, str]] = {}
    for one in made:
        bundles |= read_folder(one.folder).bundles
    jobs = {group: list(copy.deepcopy(one)) for group, one in jobs_of(cluster.design).items()}
    return EditableArtefacts(
        cluster,
        wanted_of(cluster.design),
        made[0].name,
        {one.name: copy.deepcopy(one.template) for one in made},
        bundles,
        jobs,
    )


Load = Callable[..., EditableArtefacts]
"""What loads the artefacts of a profile: its name, and a control plane."""


def variant(name: str, folder: Path) -> str:
    """A variant as a file."""
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump({"name": name, **VARIANTS[name]}), encoding="utf-8")
    return str(file)
