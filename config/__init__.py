"""The pure core: what the user says, what is known, and what follows. Imports no aws_cdk."""
