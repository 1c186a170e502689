"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: their pages."""
