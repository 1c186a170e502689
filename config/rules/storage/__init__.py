"""File systems, data repositories, buckets and local disks: in the rules."""
