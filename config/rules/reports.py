"""Public failure reports behind the rules: what happened to somebody, and where they told of it."""

from __future__ import annotations

import re

REPORTS = {
    "EC2-03": "https://github.com/eksctl-io/eksctl/issues/7520",
    "EC2-04": "https://github.com/eksctl-io/eksctl/issues/7949",
    "EC2-05": "https://github.com/terraform-aws-modules/terraform-aws-eks/pull/3730",
    "EC2-06": "https://github.com/aws/aws-parallelcluster/pull/6311",
    "EC2-08": "https://github.com/aws/karpenter-provider-aws/pull/5666",
    "EC2-15": "https://github.com/NVIDIA/aicr/issues/1410",
    "EKS-01": "https://github.com/eksctl-io/eksctl/issues/7520",
    "EKS-02": "https://github.com/terraform-aws-modules/terraform-aws-eks/issues/3653",
    "EKS-03": "https://github.com/eksctl-io/eksctl/issues/7949",
    "EKS-05": "https://github.com/eksctl-io/eksctl/issues/8320",
    "EKS-07": "https://github.com/aws/karpenter-provider-aws/issues/9489",
    "EKS-08": "https://github.com/aws/karpenter-provider-aws/pull/5666",
    "EKS-10": "https://github.com/terraform-aws-modules/terraform-aws-eks/issues/1386",
    "EKS-17": "https://github.com/aws-samples/aws-efa-eks/issues/19",
    "EKS-18": "https://github.com/gardener/gardener-extension-provider-aws/issues/1832",
    "EKS-21": "https://github.com/aws-solutions-library-samples/global-capacity-orchestrator-on-aws/pull/68",
    "EKS-25": "https://github.com/aws/containers-roadmap/issues/2204",
    "EKS-26": "https://github.com/aws/aws-k8s-tester/pull/588",
    "EKS-28": "https://github.com/modelplaneai/modelplane/issues/197",
    "HYPERPOD-07": "https://github.com/awslabs/awsome-distributed-ai/pull/259",
    "HYPERPOD-14": "https://github.com/awslabs/awsome-distributed-ai/issues/204",
    "HYPERPOD-18": "https://github.com/awslabs/awsome-distributed-ai/pull/1011",
    "HYPERPOD-22": "https://github.com/hashicorp/terraform-provider-awscc/issues/2381",
    "HYPERPOD-28": "https://github.com/aws/sagemaker-hyperpod-cli/issues/425",
    "HYPERPOD-35": "https://github.com/aws-samples/aws-do-hyperpod/issues/21",
    "HYPERPOD-38": "https://github.com/sunilpp/hyperpod-quickstart/commit/519fd92",
    "OBS-10": "https://github.com/terraform-aws-modules/terraform-aws-managed-service-prometheus/issues/3",
    "SLURM-01": "https://github.com/aws/aws-parallelcluster/issues/7143",
    "SLURM-02": "https://github.com/aws/aws-parallelcluster/pull/6930",
    "SLURM-06": "https://github.com/awslabs/awsome-distributed-ai/issues/353",
    "SLURM-07": "https://github.com/awslabs/awsome-distributed-ai/pull/1258",
    "SLURM-11": "https://github.com/aws-samples/aws-hpc-recipes/issues/55",
    "SLURM-12": "https://github.com/aws/aws-cdk/issues/26931",
    "SLURM-13": "https://github.com/aws-samples/aws-efa-nccl-baseami-pipeline/issues/1",
    "SLURM-18": "https://github.com/awslabs/awsome-distributed-ai/blob/95b939cdc5b24ded03a70da21533964f9354b731/architectures/aws-pcs/docs/OPERATIONS.md",
    "STORAGE-07": "https://github.com/aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow/issues/91",
    "STORAGE-08": "https://github.com/aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow/issues/73",
    "STORAGE-09": "https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1687",
    "STORAGE-10": "https://github.com/hashicorp/terraform-provider-aws/pull/44456",
    "STORAGE-11": "https://github.com/aws/aws-cdk/issues/34649",
    "STORAGE-12": "https://github.com/aws/aws-cdk/issues/31130",
    "STORAGE-13": "https://github.com/awslabs/awsome-distributed-ai/pull/1124",
    "STORAGE-14": "https://github.com/aws/aws-parallelcluster/issues/7616",
    "STORAGE-18": "https://github.com/aws-solutions-library-samples/aws-batch-arch-for-protein-folding/issues/11",
    "STORAGE-20": "https://github.com/aws/aws-parallelcluster/pull/4617",
}


def reports_in(text: str) -> dict[str, str]:
    """The reports that a text names, with their addresses; KeyError for one that is not listed."""
    return {name: REPORTS[name] for name in re.findall(r"\b[A-Z0-9]+-[0-9]{2}\b", text)}
