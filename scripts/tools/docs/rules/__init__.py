"""Pages of diagnostics and of public failure reports."""
