"""What must hold of every generated profile."""
