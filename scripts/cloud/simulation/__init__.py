"""Simulation of a cluster between deployments: running jobs, files to export, and time."""
