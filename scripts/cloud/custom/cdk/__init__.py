"""Models of the Node.js providers that the CDK ships, based on the code of aws-cdk-lib 2.275.0."""
