"""Check of messages, docs and docstrings for terms to replace; the terms are counted for each folder."""
