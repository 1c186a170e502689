"""How large a checkpoint is, how long it takes, how often to save and how many fit, from plain figures.

GB are 10^9 bytes, GiB 2^30. Each function is one formula of storage-plan.md, which prints it in the same
names.
"""

from __future__ import annotations

import math

BYTES_PER_GB = 1e9
BYTES_PER_GIB = 2**30
MB_PER_GB = 1000
_LARGEST_EXPONENT = 700.0


def checkpoint_gb(parameters: float, bytes_per_parameter: float) -> float:
    """Size of one checkpoint."""
    return parameters * bytes_per_parameter / BYTES_PER_GB


def seconds_to_move(size_gb: float, mbps: float) -> float:
    """Time for so many bytes at a rate: writing or restoring a checkpoint."""
    return size_gb * MB_PER_GB / mbps


def export_s_at_least(size_gb: float, network_mbps: float, disk_mbps: float, cache_gb: float) -> float:
    """Least time of the export to S3: all through the network, and off the disks what no cache has."""
    return max(size_gb / network_mbps, max(0, size_gb - cache_gb) / disk_mbps) * MB_PER_GB


def mtbf_hours(interruptions: float, days: float, failed_gpus: float, gpus: float) -> float:
    """Mean time between failures of a run on so many GPUs, from the failures of a published one."""
    return failed_gpus * days * 24 / interruptions / gpus


def young_s(write_s: float, mtbf_s: float) -> float:
    """Time between checkpoints that loses least, to the first order."""
    return math.sqrt(2 * write_s * mtbf_s)


def daly_s(write_s: float, mtbf_s: float) -> float:
    """Time from the end of one checkpoint to the start of the next that loses least, to a higher order."""
    if write_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = write_s / (2 * mtbf_s)
    return young_s(write_s, mtbf_s) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write_s


def lost_share(interval_s: float, write_s: float, restore_s: float, mtbf_s: float) -> float:
    """Share of the time that goes to writing, to restoring and to work done twice: 0 to 1."""
    exponent = (restore_s + interval_s + write_s) / mtbf_s
    if exponent > _LARGEST_EXPONENT:  # hardly a run gets from one checkpoint to the next
        return 1.0
    wasted = math.exp(restore_s / mtbf_s) * math.expm1((interval_s + write_s) / mtbf_s)
    return 1 - interval_s / (mtbf_s * wasted)


def capacity_gib(size_gb: float, kept: int, fill_at_most: float, datasets_gib: float) -> float:
    """Capacity for the checkpoints that are kept, the one being written, and the data sets."""
    return size_gb * BYTES_PER_GB / BYTES_PER_GIB * (kept + 1) / fill_at_most + datasets_gib


def memory_percent(size_gb: float, copies: int, memory_gib: float) -> float:
    """Percent of the nodes' memory that holds so many copies of a checkpoint."""
    return size_gb * BYTES_PER_GB / BYTES_PER_GIB * copies / memory_gib * 100
