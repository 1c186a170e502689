"""Profile sections of Slurm: HyperPod with Slurm and AWS PCS."""
