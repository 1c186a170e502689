"""What differs between two stacks beside what CloudFormation does: permissions, network, price, quotas."""
