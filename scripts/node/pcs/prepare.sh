#!/usr/bin/env bash
# Runs as root on every node of an AWS PCS cluster, before slurmd starts. PCS mounts nothing, so all file systems are
# mounted here, in an order that fstab cannot keep: Lustre's network, then its modules, then the mount. A non-zero exit
# is a node without its file system, which must not take jobs.
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
check_storage || true # what failed is said there
step install_units "$here"
check_node || true # what failed is said there
say "node is ready"
