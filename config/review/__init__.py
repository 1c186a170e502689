"""Codes of a review, and the resource types that hold data or run nodes."""
