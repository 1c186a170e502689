"""Stack parts for Slurm: HyperPod with Slurm and AWS PCS."""
