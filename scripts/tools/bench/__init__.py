"""Benchmark: ratios of process times that are measured in one run."""
