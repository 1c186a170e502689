"""What a deployment waits for: the slow resources of a design, in the order in which they are made."""
