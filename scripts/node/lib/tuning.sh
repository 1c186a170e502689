# shellcheck shell=bash
# AWS's values for Lustre clients with many cores or much memory
# (https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance-tips.html). Each line of LUSTRE_TUNING is
# WHAT ABOVE KIND NAME VALUE: a module option is set before the module loads, a parameter after each mount.

# tuning_applies WHAT ABOVE
tuning_applies() {
  case $1 in
    always) return 0 ;;
    cpus) ((CPUS > $2)) ;;
    memory_gib) ((MEMORY_GIB > $2)) ;;
    *) return 1 ;;
  esac
}

module_option() {
  if [[ $3 == module ]] && tuning_applies "$1" "$2"; then
    printf 'options %s %s\n' "$4" "$5"
  fi
}

# write_module_options: write the options; loaded modules keep their values until they are loaded again
write_module_options() {
  local options
  options=$(each_line "$LUSTRE_TUNING" module_option)
  [[ -n $options ]] || return 0
  if write_file "$ROOT/etc/modprobe.d/ultracluster-lustre.conf" 0644 <<<"$options" && lustre_is_loaded; then
    say "new options of the Lustre modules take effect when the modules are loaded again, at the latest after a reboot"
  fi
}

set_parameter() {
  if [[ $3 == parameter ]] && tuning_applies "$1" "$2"; then
    local value=${5/cpus\*/}
    [[ $value == "$5" ]] || value=$((value * CPUS))
    lctl set_param "$4=$value" >/dev/null || warn "$4 could not be set to $value"
  fi
}

# tune_mounts: set the parameters after each mount, because they do not survive an unmount
tune_mounts() {
  lustre_is_loaded && installed lctl || return 0
  each_line "$LUSTRE_TUNING" set_parameter
}
