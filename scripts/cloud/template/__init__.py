"""How CloudFormation reads a template: functions, order, schemas, and what updates do."""
