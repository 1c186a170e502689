"""Proof of the fabric: every link that EFA needs, looked up in what was generated, each with its place."""
