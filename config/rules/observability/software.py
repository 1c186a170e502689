"""Rule for the checksums of the programs that nodes download for metrics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from config.catalog.observability.artefacts import artefacts
from config.design.model import Design
from config.design.observability.collection.slurm import slurm_metrics
from config.rules.registry import NOTE, Finding, rule

_OF_SLURM = "slurm-exporter"


@rule(
    "OBS040", NOTE, "the programs that nodes download for metrics have a checksum in the lock file",
    why="A project can publish different content under the same version. Nodes compare downloads with the checksums in the lock "
    "file, and cannot verify a program without a checksum.",
    source="https://github.com/SckyzO/slurm_exporter/releases", reads="orchestrator observability",
    where="collection",
)  # fmt: skip
def programs_are_locked(design: Design) -> Iterator[Finding]:
    """Report archives without a checksum if the profile sets `collection`."""
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
            message=f"the lock file has no checksum for {' and '.join(loose)}",
            hint="run `python -m scripts.tools.artefacts lock` on a computer with internet access; if you set `downloads`, "
            "`python -m scripts.tools.artefacts fetch FOLDER` downloads the files, which you then copy to that location",
        )


@cache
def _unlocked() -> tuple[tuple[str, str], ...]:
    """Return the name of each archive without a checksum, and its name with the version."""
    return tuple(
        (archive.name, f"{archive.name} {archive.version}")
        for archive in artefacts().archives.values()
        if not archive.locked
    )
