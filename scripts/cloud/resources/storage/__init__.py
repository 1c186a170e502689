"""File systems, data repositories, buckets and local disks: their resource types."""
