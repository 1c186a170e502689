"""Arguments of the commands: one module for each command, with the function that runs the command.

A module imports the code of its command only when the command runs.
"""
