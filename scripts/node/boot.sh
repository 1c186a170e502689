#!/usr/bin/env bash
# Steps of a node: `disks`, `gpus`, `lnet` and `mounts` at every boot, `job` before and after every job, and `tune`,
# `health` and `check` by timers or manually.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

learn_machine
case ${1:-} in
  disks) at_boot_disks ;;
  gpus) wait_for_gpus ;;
  lnet)
    step write_module_options
    step configure_lnet
    ;;
  mounts) mount_file_systems ;;
  tune) tune_mounts ;;
  check) check_storage ;;
  job) check_node ;;
  health) keep_healthy ;;
  *)
    echo "usage: boot.sh disks|gpus|lnet|mounts|tune|check|job|health" >&2
    exit 2
    ;;
esac
