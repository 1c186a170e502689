"""Benchmark: processes are timed in one run, and compared as ratios."""
