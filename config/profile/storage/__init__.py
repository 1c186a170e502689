"""Profile models for file systems, data repositories, buckets and local disks."""
