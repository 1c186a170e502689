"""What a review warns of beyond single resources."""
