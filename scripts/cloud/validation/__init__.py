"""What a service would refuse of a resource's properties: by its API model, and by what our rules know."""

from .problems import Problem, problems, reason
from .rules.registry import Sibling

__all__ = ["Problem", "Sibling", "problems", "reason"]
