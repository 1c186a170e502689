"""Template rules for Slurm: HyperPod and AWS PCS."""

from scripts.cloud.validation.rules.registry import rules_of

from . import hyperpod, hyperpod_settings, pcs, pcs_groups

RULES = rules_of(hyperpod, hyperpod_settings, pcs, pcs_groups)
