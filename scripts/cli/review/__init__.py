"""Compare two templates before a deployment: `ultracluster review OLD NEW`."""

from .errors import UnusableError
from .model import Action, Change, Edit, Policy, Review
from .stack import review_templates

__all__ = ["Action", "Change", "Edit", "Policy", "Review", "UnusableError", "review_templates"]
