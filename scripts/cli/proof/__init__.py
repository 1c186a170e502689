"""Artefacts of a proof, from a synthesis or from files."""
