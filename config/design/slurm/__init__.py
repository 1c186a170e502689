"""Slurm parts of the design: HyperPod with Slurm and AWS PCS."""
