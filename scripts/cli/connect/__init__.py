"""Connections to a cluster's nodes: list them, and open sessions, tunnels and ssh."""
