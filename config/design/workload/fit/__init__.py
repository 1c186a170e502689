"""Fit of a model to a cluster: memory, splits, traffic and bounds of a step.

These modules are imported only for a profile with a `workload`. docs/reference/fit.md lists all formulas.
"""
