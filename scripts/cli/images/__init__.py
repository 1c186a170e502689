"""Read-only queries to AWS about the images of a cluster, and about newer images."""
