# shellcheck shell=bash
# The shared file systems. Each line of LUSTRE_FILE_SYSTEMS is NAME VERSION TRANSPORT PATH BY DNS MOUNT: who mounts it
# (service, script or csi), and the parameters with its DNS name and mount name where the script does. HOME_FILE_SYSTEM
# is PATH BY DNS.

# the first access starts an automount, and an access to a file system that does not answer never ends
file_system_type() { timeout 30 stat --file-system --format=%T "$1" 2>/dev/null || true; }
lustre_answers() { [[ $(file_system_type "$1") == lustre ]]; }
home_answers() { [[ $(file_system_type "$1") == nfs ]]; }

# set_fstab PATH LINE: the one line for that path
set_fstab() {
  local file=$ROOT/etc/fstab
  {
    [[ ! -f $file ]] || awk -v path="$1" '$2 != path || /^[[:space:]]*#/' "$file"
    printf '%s\n' "$2"
  } | write_file "$file" 0644 && systemctl daemon-reload
}

# mount_once DEVICE PATH TYPE OPTIONS ANSWERS: at once where the node orders it itself, at first use through fstab.
# After LNet's unit and never with it (x-systemd.requires): at a node's first boot the unit is not installed yet, and
# systemd starts no mount that requires a unit which is not there; and what stops the unit would unmount the files.
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

# device_of KEPT DNS [MOUNT]: what to mount, from the parameters; kept under that name, so that a reboot asks nobody
device_of() {
  local file=$STATE/devices/$1 dns mount=
  if dns=$(parameter "$2") && { [[ -z ${3:-} ]] || mount=$(parameter "$3"); }; then
    [[ $dns =~ ^f[sc]-[0-9a-f]+\.fsx\.[a-z0-9.-]+$ ]] || fail "parameter $2 has '$dns', which is no DNS name of a file system" >&2
    if [[ -z ${3:-} ]]; then
      write_file "$file" 0644 <<<"$dns:/fsx" || true
    else
      [[ $mount =~ ^[A-Za-z0-9_-]{1,8}$ ]] || fail "parameter $3 has '$mount', which is no mount name" >&2
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

# mount_home: what nodes have in their own directory is theirs still, once the shared one lies over it
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

# copy_absent FROM TO: what is not there. What is there keeps its owner, mode and content, and a link there is not
# followed: it is its user's. A directory counts as made only by the node whose mkdir succeeds.
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

# mount_file_systems: a node without one of them stays out of the cluster
mount_file_systems() {
  each_line "$HOME_FILE_SYSTEM" mount_home
  each_line "$LUSTRE_FILE_SYSTEMS" mount_lustre
  tune_mounts
}
