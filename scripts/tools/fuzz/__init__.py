"""Generated profiles over the whole schema, right and wrong: what holds for each of them."""
