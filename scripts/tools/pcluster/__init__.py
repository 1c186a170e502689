"""ParallelCluster's own package as a judge of what we generate: it checks and synthesizes offline."""
