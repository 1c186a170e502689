"""Template rules for AMP and AMG workspaces, recording rules, alerts and receivers."""

from scripts.cloud.validation.rules.registry import rules_of

from . import prometheus_files, prometheus_receivers, workspaces

RULES = rules_of(workspaces, prometheus_receivers, prometheus_files)
