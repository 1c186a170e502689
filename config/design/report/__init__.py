"""The plan as data: what `ultracluster plan` prints."""
