"""Tables of metrics, XIDs and pinned programs."""
