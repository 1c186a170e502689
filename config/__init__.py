"""Profiles, the catalogue of AWS facts, the design and the rules. Does not import aws_cdk."""
