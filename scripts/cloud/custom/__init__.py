"""Custom resources, whose providers run in this process with the events that CloudFormation sends."""
