"""File systems, data repositories, buckets and local disks: in a stack."""
