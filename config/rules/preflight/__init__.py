"""Codes of what `ultracluster preflight` finds: what an account says, held against a profile."""

from config.rules.preflight.codes import CODES

__all__ = ["CODES"]
