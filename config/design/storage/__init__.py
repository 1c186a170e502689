"""Design of file systems, data repositories, buckets and local disks."""
