"""The command line, the embedded cloud, node scripts and maintainers' tools."""
