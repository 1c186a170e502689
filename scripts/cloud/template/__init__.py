"""CloudFormation templates: intrinsic functions, dependencies, resource schemas and update effects."""
