# shellcheck shell=bash
# enroot signs in to the registry of this account, so that `srun --container-image` takes images of ECR. No password lies
# on the disk: where one begins with `$`, enroot runs it when it imports (enroot: common::evalnetrc), with the rights of
# the node's role.

ENROOT_SETTINGS=$ROOT/etc/ultracluster/enroot

# registry_host: the registry of the account that the node's role is of; the machine's own account may be the service's
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
    warn "enroot has no $file: images of ECR need a .credentials of each user's own"
    return 0
  fi
  if ! host=$(registry_host); then
    warn "the registry of this account does not answer: images of ECR need a .credentials of each user's own"
    return 0
  fi
  write_file "$ENROOT_SETTINGS/.credentials" 0644 <<<"machine $host login AWS password \$(aws ecr get-login-password --region $NODE_REGION)" || true
  # a user's own folder counts where something is in it: enroot reads one folder alone
  write_file "$ROOT/usr/local/libexec/ultracluster-enroot-settings" 0755 <<'PROGRAM' || true
#!/bin/sh
# Prints the folder that enroot reads its settings and credentials from: the user's own where it has any.
own="${XDG_CONFIG_HOME:-${HOME:-/nonexistent}/.config}/enroot"
if [ -n "$(ls -A "$own" 2>/dev/null)" ]; then echo "$own"; else echo /etc/ultracluster/enroot; fi
PROGRAM
  {
    # what an image's maker wrote there, and what this script did
    sed --regexp-extended '/^#?[[:space:]]*ENROOT_CONFIG_PATH[[:space:]]/d' "$file"
    # shellcheck disable=SC2016 # enroot itself runs it
    printf 'ENROOT_CONFIG_PATH $(/usr/local/libexec/ultracluster-enroot-settings)\n'
  } | write_file "$file" 0644 || true
  say "enroot signs in to $host"
}
