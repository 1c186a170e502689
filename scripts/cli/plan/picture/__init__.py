"""A cluster's picture as SVG, drawn from its design for a page of a given width."""
