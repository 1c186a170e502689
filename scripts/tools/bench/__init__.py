"""The benchmark: ratios measured in one run."""
