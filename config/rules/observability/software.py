"""What nodes run for their metrics, and how well it is known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from config.catalog.observability.artefacts import artefacts
from config.design.model import Design
from config.design.observability.collection.slurm import slurm_metrics
from config.rules.registry import NOTE, Finding, rule

_OF_SLURM = "slurm-exporter"


@rule(
    "OBS040", NOTE, "programs that nodes fetch for their metrics are known by their content",
    why="A release can be published a second time under its version. Nodes check what they fetch against the lock file, and take what nobody has locked as it comes.",
    source="https://github.com/SckyzO/slurm_exporter/releases", reads="orchestrator observability",
    where="collection",
)  # fmt: skip
def programs_are_locked(design: Design) -> Iterator[Finding]:
    """Archives of the lock file that nodes with Slurm would run, told to whoever says how to collect."""
    plan, wanted = design.hyperpod or design.pcs, design.profile.observability
    if plan is None or wanted is None or "collection" not in wanted.model_fields_set:
        return
    if wanted.collection.collector == "none":
        return
    left_out = _OF_SLURM if slurm_metrics(design.profile) != _OF_SLURM else ""
    loose = [title for name, title in _unlocked() if name != left_out]
    if loose:
        yield Finding(
            at=("observability", "collection", "downloads"),
            message=f"nobody has locked what {' and '.join(loose)} is",
            hint="python -m scripts.tools.artefacts lock, on a machine with a network; "
            "`python -m scripts.tools.artefacts fetch FOLDER` fills a place of your own for `downloads`",
        )


@cache
def _unlocked() -> tuple[tuple[str, str], ...]:
    """Archives that are known by their version alone, by name, as they are told."""
    return tuple(
        (archive.name, f"{archive.name} {archive.version}")
        for archive in artefacts().archives.values()
        if not archive.locked
    )
