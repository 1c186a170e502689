"""Set-up on a fresh machine: Python packages, Node, the CDK CLI, and the lock files behind them."""
