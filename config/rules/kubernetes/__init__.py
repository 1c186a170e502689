"""Rules for Kubernetes: EKS, HyperPod on EKS and schedulers."""
