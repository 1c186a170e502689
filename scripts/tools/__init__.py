"""Tools for maintainers: generated docs, fuzz tests, benchmark, set-up, charts and schemas."""
