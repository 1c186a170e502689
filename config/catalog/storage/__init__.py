"""Storage facts of the catalogue: file systems, clients and directory buckets."""
