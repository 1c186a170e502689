"""Output formats of a review: text, Markdown, JSON."""
