"""Forecast of a deployment: the slow resources of a design in the order of their creation."""
