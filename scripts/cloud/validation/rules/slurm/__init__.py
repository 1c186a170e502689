"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: what services refuse of them."""

from scripts.cloud.validation.rules.registry import rules_of

from . import hyperpod, hyperpod_settings, pcs, pcs_groups

RULES = rules_of(hyperpod, hyperpod_settings, pcs, pcs_groups)
