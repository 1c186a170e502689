"""Images of a cluster, and newer images: queries to AWS that only read."""
