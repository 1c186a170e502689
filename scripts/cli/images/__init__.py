"""What images a cluster has, and whether there are newer ones: asked of AWS, which is only read."""
