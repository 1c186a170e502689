"""Profiles, the catalogue of AWS facts, the design and the rules. They do not import aws_cdk."""
