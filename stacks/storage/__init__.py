"""Storage of a stack: file systems, data repositories, buckets and local disks."""
