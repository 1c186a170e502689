"""Checks of a resource's properties against the service's API model and against our template rules."""

from .problems import Problem, problems, reason
from .rules.registry import Sibling

__all__ = ["Problem", "Sibling", "problems", "reason"]
