"""Generators of pages in docs/, one module for each page."""
