"""An AWS account in one process: strict CloudFormation on moto's service backends."""
