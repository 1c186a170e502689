# shellcheck shell=bash
# Location of enroot's images and containers. Users write to these directories, so they have the mode of /tmp
# (HYPERPOD-39).

# configure_enroot BASE: set the paths, if enroot is installed; without BASE, remove ultracluster's paths
configure_enroot() {
  local file=$ROOT/etc/enroot/enroot.conf base=${1#"$ROOT"}
  [[ -f $file ]] || return 0
  if [[ -z $1 ]]; then
    sed --regexp-extended '\#^ENROOT_(RUNTIME|CACHE|DATA|TEMP)_PATH /opt/(dlami/nvme|sagemaker)/#d' "$file" |
      write_file "$file" 0644 || true
    return 0
  fi
  if ! install --directory --mode=1777 "$1/tmp" "$1/enroot" "$1/enroot/cache" "$1/enroot/data" "$1/enroot/run"; then
    warn "$1/enroot could not be created: enroot's paths do not change"
    return 0
  fi
  # enroot evaluates the user id
  # shellcheck disable=SC2016
  {
    sed --regexp-extended '/^#?[[:space:]]*ENROOT_(RUNTIME|CACHE|DATA|TEMP)_PATH[[:space:]]/d' "$file"
    printf 'ENROOT_RUNTIME_PATH %s/enroot/run/user-$(id -u)\n' "$base"
    printf 'ENROOT_CACHE_PATH %s/enroot/cache/user-$(id -u)\n' "$base"
    printf 'ENROOT_DATA_PATH %s/enroot/data/user-$(id -u)\n' "$base"
    printf 'ENROOT_TEMP_PATH %s/tmp\n' "$base"
  } | write_file "$file" 0644 || true
}
