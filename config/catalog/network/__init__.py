"""Catalogue of Regions, zones and interface layouts."""
