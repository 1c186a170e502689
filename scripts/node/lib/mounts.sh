# shellcheck shell=bash
# Mounts of the shared file systems. Each line of LUSTRE_FILE_SYSTEMS is NAME VERSION TRANSPORT PATH BY DNS MOUNT. BY is
# service, script or csi; DNS and MOUNT are the parameters with DNS name and mount name for the script. HOME_FILE_SYSTEM
# is PATH BY DNS.

# the first access starts an automount, and an access to a file system that does not answer does not return
file_system_type() { timeout 30 stat --file-system --format=%T "$1" 2>/dev/null || true; }
lustre_answers() { [[ $(file_system_type "$1") == lustre ]]; }
home_answers() { [[ $(file_system_type "$1") == nfs ]]; }

# set_fstab PATH LINE: replace the line for this path
set_fstab() {
  local file=$ROOT/etc/fstab
  {
    [[ ! -f $file ]] || awk -v path="$1" '$2 != path || /^[[:space:]]*#/' "$file"
    printf '%s\n' "$2"
  } | write_file "$file" 0644 && systemctl daemon-reload
}

# mount_once DEVICE PATH TYPE OPTIONS ANSWERS: mount now, or at first use through fstab. The mount starts after LNet's
# unit but does not require it (x-systemd.requires): at the first boot the unit is not installed yet, and systemd does
# not start a mount that requires a missing unit. Stopping the unit would also unmount the file system.
mount_once() {
  local device=$1 path=$2 type=$3 options=$4
  mkdir --parents "$ROOT$path"
  if [[ $MOUNT_STYLE == fstab ]]; then
    local unit=ultracluster-lnet.service
    set_fstab "$path" "$device $path $type defaults,$options,_netdev,x-systemd.automount,x-systemd.after=$unit,x-systemd.after=$LNET_SERVICE 0 0" || true
    systemctl start "$(systemd-escape --path --suffix=automount "$path")" || true
  else
    wait_for 120 mount_now "$@" || true
  fi
}

# mount_now DEVICE PATH TYPE OPTIONS ANSWERS
mount_now() { "$5" "$ROOT$2" || mount -t "$3" -o "$4" "$1" "$ROOT$2"; }

# device_of KEPT DNS [MOUNT]: the device from the parameters, stored under the name KEPT for the next reboot
device_of() {
  local file=$STATE/devices/$1 dns mount=
  if dns=$(parameter "$2") && { [[ -z ${3:-} ]] || mount=$(parameter "$3"); }; then
    [[ $dns =~ ^f[sc]-[0-9a-f]+\.fsx\.[a-z0-9.-]+$ ]] || fail "parameter $2 has '$dns', which is not the DNS name of a file system" >&2
    if [[ -z ${3:-} ]]; then
      write_file "$file" 0644 <<<"$dns:/fsx" || true
    else
      [[ $mount =~ ^[A-Za-z0-9_-]{1,8}$ ]] || fail "parameter $3 has '$mount', which is not a mount name" >&2
      write_file "$file" 0644 <<<"$dns@tcp:/$mount" || true
    fi
  fi
  cat "$file" 2>/dev/null
}

mount_lustre() {
  local name=$1 version=$2 path=$4 by=$5 dns=$6 mount=$7 device
  [[ $by != csi ]] || return 0
  if [[ $by == script ]]; then
    device=$(device_of "lustre-$name" "$dns" "$mount") || fail "parameters $dns and $mount could not be read"
    mount_once "$device" "$path" lustre "$LUSTRE_MOUNT_OPTIONS" lustre_answers
  fi
  wait_for 300 lustre_answers "$ROOT$path" || fail "no Lustre file system answers at $path$(lustre_excuse "$version")"
  say "Lustre is mounted at $path"
}

# mount_home: mount the home directories, after copying files of the local directory that would be hidden
mount_home() {
  local path=$1 by=$2 dns=$3 device
  if [[ $by == script ]]; then
    device=$(device_of home "$dns") || fail "parameter $dns could not be read"
    home_answers "$ROOT$path" || copy_home "$device" "$path"
    mount_once "$device" "$path" nfs "$HOME_MOUNT_OPTIONS" home_answers
  fi
  wait_for 300 home_answers "$ROOT$path" || fail "no file system answers at $path"
  say "home directories are mounted at $path"
}

copy_home() {
  local aside=$ROOT/run/ultracluster-home
  mkdir --parents "$aside" "$ROOT$2"
  mount -t nfs -o "$HOME_MOUNT_OPTIONS" "$1" "$aside" || return 0
  (shopt -s dotglob nullglob && copy_absent "$ROOT$2" "$aside") || warn "not all of $2 could be copied to the shared directories"
  umount "$aside" || true
}

# copy_absent FROM TO: copy missing files. Existing files keep owner, mode and content, and links are not followed,
# because they belong to users. Only the node whose mkdir succeeds sets the owner of a directory.
copy_absent() {
  local entry target status=0
  for entry in "$1"/*; do
    target=$2/${entry##*/}
    if [[ ! -d $entry || -L $entry ]]; then
      [[ -e $target || -L $target ]] || cp --archive --no-clobber --no-target-directory "$entry" "$target" || status=1
      continue
    fi
    if [[ ! -e $target && ! -L $target ]] && mkdir "$target" 2>/dev/null; then
      chown --reference="$entry" "$target" && chmod --reference="$entry" "$target" || status=1
    fi
    [[ -L $target || ! -d $target ]] || copy_absent "$entry" "$target" || status=1
  done
  return "$status"
}

# mount_file_systems: a node that cannot mount one of them does not join the cluster
mount_file_systems() {
  each_line "$HOME_FILE_SYSTEM" mount_home
  each_line "$LUSTRE_FILE_SYSTEMS" mount_lustre
  tune_mounts
}
