#!/usr/bin/env bash
# Runs as root on every HyperPod node, after the service has configured Slurm and the mounts (extended mode).
# With a non-zero exit status the node does not join the cluster, and without its controller the creation of the cluster
# fails. Therefore only a missing file system is fatal, and errors in optional steps are warnings.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

# the service sends this file to CloudWatch Logs (stream LifecycleConfig/<group>/<instance>)
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
check_storage || true # it logs what failed
step install_units "$here"
keep_healthy || true # it logs what failed
if [[ -f $here/user_script.sh ]]; then
  # the profile's own script runs last; if it fails, the node does not join
  say "running the profile's own script"
  chmod +x "$here/user_script.sh"
  "$here/user_script.sh"
fi
say "node is ready"
