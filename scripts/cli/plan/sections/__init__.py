"""Sections of a plan, one module for each; a function of the module writes a report to the document."""
