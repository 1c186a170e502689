"""Sections of a plan, one module for each: a function writes a report to the document."""
