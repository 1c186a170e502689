#!/usr/bin/env bash
# Runs as root on every node of an AWS PCS cluster, before slurmd starts. PCS does not mount file systems, so they are
# mounted here, in an order that fstab does not support: the Lustre network, its modules, and then the mount. A node
# with a non-zero exit status has no file system, and must not run jobs.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

log_to "$ROOT/var/log/ultracluster.log"
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
check_node || true # it logs what failed
say "node is ready"
