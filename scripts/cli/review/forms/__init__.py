"""The forms of a review: text, Markdown, JSON."""
