# shellcheck shell=bash
# Enroot's images and containers on the disk that is meant for them. Users write there: the directories are as open as
# /tmp (HYPERPOD-39).

# configure_enroot BASE: where enroot is installed; without a BASE only paths that are ours are taken back
configure_enroot() {
  local file=$ROOT/etc/enroot/enroot.conf base=${1#"$ROOT"}
  [[ -f $file ]] || return 0
  if [[ -z $1 ]]; then
    sed --regexp-extended '\#^ENROOT_(RUNTIME|CACHE|DATA|TEMP)_PATH /opt/(dlami/nvme|sagemaker)/#d' "$file" |
      write_file "$file" 0644 || true
    return 0
  fi
  if ! install --directory --mode=1777 "$1/tmp" "$1/enroot" "$1/enroot/cache" "$1/enroot/data" "$1/enroot/run"; then
    warn "$1/enroot cannot be made: enroot keeps its paths"
    return 0
  fi
  # enroot itself puts the user's number in
  # shellcheck disable=SC2016
  {
    sed --regexp-extended '/^#?[[:space:]]*ENROOT_(RUNTIME|CACHE|DATA|TEMP)_PATH[[:space:]]/d' "$file"
    printf 'ENROOT_RUNTIME_PATH %s/enroot/run/user-$(id -u)\n' "$base"
    printf 'ENROOT_CACHE_PATH %s/enroot/cache/user-$(id -u)\n' "$base"
    printf 'ENROOT_DATA_PATH %s/enroot/data/user-$(id -u)\n' "$base"
    printf 'ENROOT_TEMP_PATH %s/tmp\n' "$base"
  } | write_file "$file" 0644 || true
}
