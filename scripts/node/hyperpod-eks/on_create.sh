#!/usr/bin/env bash
# Runs as root on every node of HyperPod with EKS, before it joins. CSI drivers mount file systems for pods; the node
# prepares its disks and the Lustre network before. Errors here do not stop the node.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

log_to "$ROOT/var/log/provision/provisioning.log"
learn_machine

step check_kernel
step at_boot_disks
step write_module_options
step configure_lnet
step install_units "$here"
say "node is ready"
