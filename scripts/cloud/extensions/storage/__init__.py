"""File systems, data repositories, buckets and local disks: what moto lacks of them."""

from . import buckets, export_queue, express, fsx, fsx_associations, fsx_tasks, fsx_volumes

EXTENSIONS = (buckets, export_queue, express, fsx, fsx_associations, fsx_tasks, fsx_volumes)
