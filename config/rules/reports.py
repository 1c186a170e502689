"""Public failure reports behind the rules: what happened to somebody, and where they told of it."""

from __future__ import annotations

import re

REPORTS = {
    "HYPERPOD-18": "https://github.com/awslabs/awsome-distributed-ai/pull/1011",
    "HYPERPOD-22": "https://github.com/hashicorp/terraform-provider-awscc/issues/2381",
    "SLURM-11": "https://github.com/aws-samples/aws-hpc-recipes/issues/55",
    "SLURM-12": "https://github.com/aws/aws-cdk/issues/26931",
    "STORAGE-07": "https://github.com/aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow/issues/91",
    "STORAGE-08": "https://github.com/aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow/issues/73",
    "STORAGE-09": "https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1687",
    "STORAGE-10": "https://github.com/hashicorp/terraform-provider-aws/pull/44456",
    "STORAGE-13": "https://github.com/awslabs/awsome-distributed-ai/pull/1124",
}


def reports_in(text: str) -> dict[str, str]:
    """The reports that a text names, with their addresses; KeyError for one that is not listed."""
    return {name: REPORTS[name] for name in re.findall(r"\b[A-Z0-9]+-[0-9]{2}\b", text)}
