"""Rules for Slurm: HyperPod with Slurm, AWS PCS and AWS ParallelCluster."""
