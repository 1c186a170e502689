"""The word list of the texts that people read, and its counts."""
