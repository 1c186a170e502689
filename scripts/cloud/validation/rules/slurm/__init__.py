"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: what services refuse of them."""
