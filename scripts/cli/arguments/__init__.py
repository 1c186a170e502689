"""Arguments of the commands: one module for each command, with the function that runs it.

A module imports the code of its command only when the command runs.
"""
