"""The way onto a cluster's nodes: which there are, and what starts a session, a tunnel or ssh to one."""
