"""Set-up on a fresh machine: installs Python packages, Node and the CDK CLI from lock files."""
