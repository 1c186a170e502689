"""File systems, data repositories, buckets and local disks: what moto lacks of them."""
