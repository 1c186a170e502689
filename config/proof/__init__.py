"""Proof of the fabric, which checks every EFA requirement in the generated templates, scripts and jobs."""
