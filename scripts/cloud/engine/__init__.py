"""An implementation of CloudFormation: deployments, rejections, rollbacks, events and drift."""
