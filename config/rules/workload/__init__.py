"""Rules for the workload: fit and checkpoints."""
