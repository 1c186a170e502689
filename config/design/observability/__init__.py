"""What is measured in a cluster, who is told, and what is shown."""
