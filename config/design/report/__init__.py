"""Reports: the data that `ultracluster plan` prints."""
