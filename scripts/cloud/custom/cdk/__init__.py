"""Providers that CDK itself brings in Node.js, modelled after their code in aws-cdk-lib 2.275.0."""
