# shellcheck shell=bash
# The kernel, and the Lustre versions that its client can mount. Each line of LUSTRE_KERNELS is OS VERSION SERIES FROM
# UNTIL CLIENT FILE_SYSTEMS, as in AWS's matrix
# (https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html).

# kernel_number KERNEL: the kernel version without its suffix, 6.8.0-1024 for 6.8.0-1024-aws
kernel_number() { printf '%s\n' "${1%%[.-][a-z]*}"; }

not_after() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort --version-sort | head --lines=1) == "$1" ]]; }

# kernel_row OS VERSION SERIES FROM UNTIL CLIENT FILE_SYSTEMS: the versions that can be mounted, if the row is for this
# kernel
kernel_row() {
  [[ $OS == "$1" && $OS_VERSION. == "$2".* ]] || return 0
  local number
  number=$(kernel_number "$KERNEL")
  [[ $3 == any || $number == "$3"[.-]* ]] || return 0
  [[ $4 == - ]] || not_after "$4" "$number" || return 0
  [[ $5 == - ]] || not_after "$number" "$5" || return 0
  printf '%s\n' "$7"
}

mountable_versions() { each_line "$LUSTRE_KERNELS" kernel_row | head --lines=1; }

# check_kernel: runs before mounts, so that the log has the reason for a failed mount (STORAGE-15)
check_kernel() {
  [[ -n $LUSTRE_FILE_SYSTEMS ]] || return 0
  if [[ -z $(mountable_versions) ]]; then
    warn "kernel $KERNEL of $OS $OS_VERSION is not in AWS's matrix of Lustre clients: a mount may fail with 'No such device'"
  fi
}

# lustre_excuse VERSION: the probable reason for a failed mount of this version, as the end of a sentence
lustre_excuse() {
  local versions
  versions=$(mountable_versions)
  if [[ -z $versions ]]; then
    printf ': kernel %s has no Lustre client in the matrix of AWS' "$KERNEL"
  elif [[ ",$versions," != *",$1,"* ]]; then
    printf ': its version is %s, and the client of %s %s mounts %s' "$1" "$OS" "$OS_VERSION" "${versions//,/ or }"
  fi
}

# keep_kernel: unattended upgrades must not install a kernel without a Lustre client module, or restart services of jobs
# (awsome-distributed-ai: hotfix/hold-lustre-client.sh, aws-pcs/assets/add-cng.yaml)
keep_kernel() {
  [[ $OS == ubuntu ]] || return 0
  write_file "$ROOT/etc/apt/apt.conf.d/90ultracluster-kernel" 0644 <<'APT' || true
Unattended-Upgrade::Package-Blacklist {
  "linux-aws";
  "linux-headers";
  "linux-image";
  "linux-modules";
  "lustre-client-modules";
};
APT
  keep_services
  local package=lustre-client-modules-aws
  ! installed dpkg || ! dpkg --status "$package" >/dev/null 2>&1 || echo "$package hold" | dpkg --set-selections ||
    warn "$package could not be held"
}
