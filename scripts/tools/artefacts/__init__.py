"""Release archives of the metrics programs on nodes: lock their hashes, and copy them to a folder."""
