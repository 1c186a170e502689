"""The fit of a cluster to the model that it trains: memory, splits, traffic and bounds of a step.

Nothing here is imported before a profile states a `workload`. Every formula is on docs/reference/fit.md.
"""
