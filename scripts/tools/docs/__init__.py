"""The pages of docs/ that are generated from config/: one module a page."""
