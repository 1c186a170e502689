# shellcheck shell=bash disable=SC2034 # the other parts use these variables
# Facts about this instance.

# os_release FIELD: ID or VERSION_ID
os_release() { sed --quiet "s/^$1=\"\?\([^\"]*\)\"\?\$/\1/p" "$ROOT/etc/os-release" 2>/dev/null || true; }

# efa_devices: the RDMA devices with the EFA driver, one per line; instances can have other RDMA devices
# (https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html)
efa_devices() {
  local device driver
  for device in "$ROOT"/sys/class/infiniband/*; do
    driver=$(readlink "$device/device/driver") || continue
    [[ ${driver##*/} != efa ]] || printf '%s\n' "${device##*/}"
  done
}

# learn_machine: set the variables, once in each script
learn_machine() {
  CPUS=$(nproc)
  MEMORY_GIB=$(awk '/^MemTotal:/ {print int($2 / 1048576)}' "$ROOT/proc/meminfo")
  # Nitro instances have their type in this file, so a metadata request is not needed
  MACHINE_TYPE=$(cat "$ROOT/sys/devices/virtual/dmi/id/product_name" 2>/dev/null || true)
  OS=$(os_release ID)
  OS_VERSION=$(os_release VERSION_ID)
  KERNEL=$(uname --kernel-release)
  EFA_DEVICES=$(efa_devices)
  LNET_WANTED=$(lnet_wanted)
}
