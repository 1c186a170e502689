"""Catalogue of checkpoint sizes, failure rates and published training runs."""
