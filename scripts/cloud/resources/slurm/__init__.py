"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: their resource types."""
