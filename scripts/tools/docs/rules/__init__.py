"""Generators of the pages about diagnostics and public failure reports."""
