"""An AWS account in one process: strict CloudFormation over moto's service backends."""
