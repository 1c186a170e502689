"""Users and directories in the design."""
