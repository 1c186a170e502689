"""Tools for maintainers, for example for generated docs, fuzz tests, benchmarks and set-up."""
