"""All rules and all diagnostic codes."""

from __future__ import annotations

from config.diagnostics import Code
from config.profile.source import codes
from config.review import codes as review_codes
from config.rules import deployed, preflight, rooms
from config.rules.registry import rules_of
from config.rules.slurm import parallelcluster, parallelcluster_slurm, parallelcluster_storage
from config.rules.slurm.shell_syntax import SYNTAX

RULES = rooms.rules()

OF_PARALLELCLUSTER = rules_of(parallelcluster, parallelcluster_storage, parallelcluster_slurm)
"""Additional rules for a ParallelCluster file."""

CODES: dict[str, Code] = {
    code.code: code
    for code in (
        *codes.CODES,
        SYNTAX,
        *(rule.code for rule in RULES),
        *deployed.CODES,
        *review_codes.CODES,
        *preflight.CODES,
        *(rule.code for rule in OF_PARALLELCLUSTER),
    )
}

OF_PROFILES = frozenset(rule.code.code for rule in RULES) | {codes.INHERITED_NAME.code}
"""Codes that are checked completely in every profile."""
