"""Lifecycle commands of a deployed cluster: drain, rotate, teardown."""
