"""Codes of `ultracluster preflight`: differences between an account and a profile."""

from config.rules.preflight.codes import CODES

__all__ = ["CODES"]
