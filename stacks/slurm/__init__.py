"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: in a stack."""
