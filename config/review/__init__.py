"""What a review of two templates looks for: its codes, and what holds data or machines."""
