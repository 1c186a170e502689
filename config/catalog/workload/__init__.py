"""What runs on the cluster: fit, checkpoints, jobs: in the catalogue."""
