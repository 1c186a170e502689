"""Checkpoint formulas: size, time, interval and capacity.

GB are 10^9 bytes, GiB 2^30. Each function is one formula in storage-plan.md, which uses the same
names.
"""

from __future__ import annotations

import math

BYTES_PER_GB = 1e9
BYTES_PER_GIB = 2**30
MB_PER_GB = 1000
_LARGEST_EXPONENT = 700.0


def checkpoint_gb(parameters: float, bytes_per_parameter: float) -> float:
    """Return the size of one checkpoint in GB."""
    return parameters * bytes_per_parameter / BYTES_PER_GB


def seconds_to_move(size_gb: float, mbps: float) -> float:
    """Return the seconds to write or restore a checkpoint at a throughput."""
    return size_gb * MB_PER_GB / mbps


def export_s_at_least(size_gb: float, network_mbps: float, disk_mbps: float, cache_gb: float) -> float:
    """Return the minimum seconds to export to S3: all bytes use the network, uncached ones also the disks."""
    return max(size_gb / network_mbps, max(0, size_gb - cache_gb) / disk_mbps) * MB_PER_GB


def mtbf_hours(interruptions: float, days: float, failed_gpus: float, gpus: float) -> float:
    """Return the mean hours between failures of a run, estimated from the failure rate of a published run."""
    return failed_gpus * days * 24 / interruptions / gpus


def young_s(write_s: float, mtbf_s: float) -> float:
    """Return the checkpoint interval with the least lost time, by Young's first-order formula."""
    return math.sqrt(2 * write_s * mtbf_s)


def daly_s(write_s: float, mtbf_s: float) -> float:
    """Return the training time between two checkpoints that loses the least time, by Daly's formula."""
    if write_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = write_s / (2 * mtbf_s)
    return young_s(write_s, mtbf_s) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write_s


def lost_share(interval_s: float, write_s: float, restore_s: float, mtbf_s: float) -> float:
    """Return the share of time for writing, restoring and repeated work: 0 to 1."""
    exponent = (restore_s + interval_s + write_s) / mtbf_s
    if exponent > _LARGEST_EXPONENT:  # almost all intervals fail before the next checkpoint
        return 1.0
    wasted = math.exp(restore_s / mtbf_s) * math.expm1((interval_s + write_s) / mtbf_s)
    return 1 - interval_s / (mtbf_s * wasted)


def capacity_gib(size_gb: float, kept: int, fill_at_most: float, datasets_gib: float) -> float:
    """Return the capacity for all retained checkpoints, the one in progress, and the datasets."""
    return size_gb * BYTES_PER_GB / BYTES_PER_GIB * (kept + 1) / fill_at_most + datasets_gib


def memory_percent(size_gb: float, copies: int, memory_gib: float) -> float:
    """Return the percentage of node memory that `copies` copies of a checkpoint use."""
    return size_gb * BYTES_PER_GB / BYTES_PER_GIB * copies / memory_gib * 100
