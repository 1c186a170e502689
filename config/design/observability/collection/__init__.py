"""How metrics are collected under each control plane."""
