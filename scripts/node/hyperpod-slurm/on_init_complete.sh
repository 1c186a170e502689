#!/usr/bin/env bash
# Runs as root on every HyperPod node, after the service has configured Slurm and the mounts (extended mode).
# A non-zero exit keeps the node out of the cluster, and a controller that stays out fails the whole creation: so
# only a file system that is not there is fatal, and everything that merely makes a node faster is a warning.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

# what the service sends to CloudWatch (stream LifecycleConfig/<group>/<instance>) is this file
log_to "$ROOT/var/log/provision/provisioning.log"
learn_machine

step keep_kernel
step rotate_logs
step check_kernel
step wait_for_gpus
step at_boot_disks
step configure_pyxis
step write_module_options
step configure_lnet
mount_file_systems
step stripe_checkpoints
check_storage || true # what failed is said there
step install_units "$here"
keep_healthy || true # what failed is said there
if [[ -f $here/user_script.sh ]]; then
  # the profile's own, last; what fails in it keeps the node out, as it would have without us
  say "running the profile's own script"
  chmod +x "$here/user_script.sh"
  "$here/user_script.sh"
fi
say "node is ready"
