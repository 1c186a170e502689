"""The diagram of a cluster as SVG, rendered from its design for a page of a given width."""
