# shellcheck shell=bash
# The data of containerd and of the kubelet on the best disk, under HyperPod with Kubernetes. They are bound over their
# usual places, as EKS's own setup-local-disks does (awslabs/amazon-eks-ami:templates/al2023/runtime/bin): no settings
# change, and what the image brought stays below, for a disk that a reboot has formatted anew.

# bind_state BASE PLACE UNIT
bind_state() {
  local from=$1/ultracluster-kubernetes/${2##*/} place=$ROOT$2 running=false
  ! mountpoint --quiet "$place" || return 0
  ! systemctl is-active --quiet "$3" || running=true
  if $running && ! systemctl stop "$3"; then
    warn "$3 does not stop: its data stays on the root volume"
    return 0
  fi
  mkdir --parents "$place" "$(dirname -- "$from")"
  if [[ -d $from ]] || copy_state "$place" "$from"; then
    mount --bind "$from" "$place" || warn "$from could not be bound to $2"
  else
    warn "$2 could not be copied to $from: it stays on the root volume"
  fi
  ! $running || systemctl start "$3"
}

# copy_state FROM TO: whole or not at all, since what is there is not copied again
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
