# shellcheck shell=bash
# Location of the data of containerd and the kubelet on HyperPod with EKS. Bind mounts cover the default folders, like
# setup-local-disks of EKS (awslabs/amazon-eks-ami:templates/al2023/runtime/bin): no settings change, and the AMI's
# files remain below the mount, for a disk that was formatted at a reboot.

# bind_state BASE PLACE UNIT
bind_state() {
  local from=$1/ultracluster-kubernetes/${2##*/} place=$ROOT$2 running=false
  ! mountpoint --quiet "$place" || return 0
  ! systemctl is-active --quiet "$3" || running=true
  if $running && ! systemctl stop "$3"; then
    warn "$3 could not be stopped: its data remains on the root volume"
    return 0
  fi
  mkdir --parents "$place" "$(dirname -- "$from")"
  if [[ -d $from ]] || copy_state "$place" "$from"; then
    mount --bind "$from" "$place" || warn "$from could not be bound to $2"
  else
    warn "$2 could not be copied to $from: it remains on the root volume"
  fi
  ! $running || systemctl start "$3"
}

# copy_state FROM TO: copy completely or not at all, because an existing folder is not copied again
copy_state() {
  rm --recursive --force "$2.new"
  cp --archive "$1" "$2.new" && mv "$2.new" "$2"
}

# bind_kubernetes BASE
bind_kubernetes() {
  [[ -n $1 ]] || return 0
  bind_state "$1" /var/lib/containerd containerd.service
  bind_state "$1" /var/lib/kubelet kubelet.service
}
