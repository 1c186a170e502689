"""File systems, data repositories, buckets and local disks: what moto lacks of them."""

from . import buckets, export_queue, express, fsx

EXTENSIONS = (buckets, export_queue, express, fsx)
