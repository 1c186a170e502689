"""What people and machines run: the command line, the embedded cloud, node scripts, the benchmark."""
