"""Custom resources: their providers are called in this process, with the events that CloudFormation sends."""
