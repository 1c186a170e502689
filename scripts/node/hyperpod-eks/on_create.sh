#!/usr/bin/env bash
# Runs as root on every HyperPod node with Kubernetes, before it joins. Pods mount file systems themselves, through
# drivers; the node has to have its disks and Lustre's network ready before they do. Nothing here is fatal.
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
