"""Deploy, compare and destroy a profile with the real CDK CLI, on the embedded cloud or on AWS."""
