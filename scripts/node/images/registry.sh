# shellcheck shell=bash
# Sign-in of enroot to the account's ECR registry, for `srun --container-image`. The disk has no password: if a password
# begins with `$`, enroot runs it as a command at each import (enroot: common::evalnetrc), with the permissions of the
# node's role.

ENROOT_SETTINGS=$ROOT/etc/ultracluster/enroot

# registry_host: the registry of the account of the node's role; the instance can belong to an account of the service
registry_host() {
  local attempt address
  for attempt in 1 2 3 4 5 6; do
    if address=$(aws ecr get-authorization-token --region "$NODE_REGION" --query 'authorizationData[0].proxyEndpoint' --output text); then
      printf '%s\n' "${address#https://}"
      return 0
    fi
    ((attempt == 6)) || sleep $((attempt * 5))
  done
  return 1
}

configure_registry() {
  local file=$ROOT/etc/enroot/enroot.conf host
  installed enroot || return 0
  if [[ ! -f $file ]]; then
    warn "enroot has no $file: each user needs a .credentials file for ECR images"
    return 0
  fi
  if ! host=$(registry_host); then
    warn "the registry of this account does not answer: each user needs a .credentials file for ECR images"
    return 0
  fi
  write_file "$ENROOT_SETTINGS/.credentials" 0644 <<<"machine $host login AWS password \$(aws ecr get-login-password --region $NODE_REGION)" || true
  # enroot reads only one folder: the user's own folder, if it is not empty
  write_file "$ROOT/usr/local/libexec/ultracluster-enroot-settings" 0755 <<'PROGRAM' || true
#!/bin/sh
# Prints the folder from which enroot reads its settings and credentials: the user's own, if it is not empty.
own="${XDG_CONFIG_HOME:-${HOME:-/nonexistent}/.config}/enroot"
if [ -n "$(ls -A "$own" 2>/dev/null)" ]; then echo "$own"; else echo /etc/ultracluster/enroot; fi
PROGRAM
  {
    # remove the line of the AMI, and of an earlier run of this script
    sed --regexp-extended '/^#?[[:space:]]*ENROOT_CONFIG_PATH[[:space:]]/d' "$file"
    # shellcheck disable=SC2016 # enroot itself runs it
    printf 'ENROOT_CONFIG_PATH $(/usr/local/libexec/ultracluster-enroot-settings)\n'
  } | write_file "$file" 0644 || true
  say "enroot signs in to $host"
}
