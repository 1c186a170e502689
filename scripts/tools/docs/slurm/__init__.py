"""Generated pages for AWS PCS and AWS ParallelCluster."""
