"""What each command can be given: one module a command, with the function that runs it.

A module imports what its command needs only where it runs.
"""
