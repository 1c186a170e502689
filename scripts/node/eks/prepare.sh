#!/usr/bin/env bash
# Runs as root on every node of an EKS node group, from its user data. nodeadm starts the kubelet only after cloud-init
# (awslabs/amazon-eks-ami: nodeadm-run.service), so the Lustre network is ready before a pod mounts a file system.
# nodeadm prepares local disks, and CSI drivers mount file systems. Errors here do not stop the node.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

log_to "$ROOT/var/log/ultracluster.log"
learn_machine

step check_kernel
step write_module_options
step configure_lnet
step install_units "$here"
say "node is ready"
