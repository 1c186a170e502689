"""Design of the workload: fit and checkpoints."""
