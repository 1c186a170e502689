"""Scheduler of a Kubernetes cluster: job admission and pod placement."""
