"""Release archives of what nodes run for their metrics: locked, and copied to a place of one's own."""
