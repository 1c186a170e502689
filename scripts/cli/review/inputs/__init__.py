"""Inputs of a review: a template, a cdk.out folder, a profile, or one of them at a git revision."""
