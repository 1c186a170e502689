"""Differences of permissions, network, price and quotas between two stacks."""
