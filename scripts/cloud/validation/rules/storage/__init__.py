"""File systems, data repositories, buckets and local disks: what services refuse of them."""
