"""Custom resources: their providers run in this process, with the events that CloudFormation sends."""
