"""Text checks: listed terms to replace in messages, docs and docstrings, with counts for each folder."""
