"""The HTML form of a plan: one page without external resources."""
