"""Storage services and operations that moto does not have."""

from . import buckets, export_queue, express, fsx, fsx_associations, fsx_tasks, fsx_volumes

EXTENSIONS = (buckets, export_queue, express, fsx, fsx_associations, fsx_tasks, fsx_volumes)
