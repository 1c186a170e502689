"""Proof of the fabric: checks every requirement of EFA in the generated templates, scripts and jobs."""
