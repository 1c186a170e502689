# shellcheck shell=bash
# Functions for all other parts: messages, waits and files.

# tests use another root than /
ROOT=${ULTRACLUSTER_ROOT:-}
# shellcheck disable=SC2034 # the other parts use it
STATE=$ROOT/var/lib/ultracluster

now() { TZ=UTC0 printf '%(%FT%TZ)T' -1; }
say() { TZ=UTC0 printf '%(%FT%TZ)T ultracluster: %s\n' -1 "$*"; }
warn() { say "warning: $*"; }

fail() {
  say "error: $*"
  sync
  sleep "${ULTRACLUSTER_WAIT_S:-60}" # so that the service reads the log before the node is terminated
  exit 1
}

# log_to FILE: write all output to the file, too
log_to() {
  if mkdir --parents "$(dirname -- "$1")" && touch "$1"; then
    exec > >(tee --append "$1") 2>&1
  fi
}

# wait_for SECONDS COMMAND...: retry the command until it succeeds or the time is over; ULTRACLUSTER_WAIT_S overrides
# SECONDS
wait_for() {
  local deadline=$((SECONDS + ${ULTRACLUSTER_WAIT_S:-$1}))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 5
  done
}

# write_file FILE MODE: write standard input to the file, completely or not at all; false if FILE already has this
# content
write_file() {
  local file=$1 text
  text=$(</dev/stdin)
  [[ ! -f $file || $(<"$file") != "$text" ]] || return 1
  [[ -d ${file%/*} ]] || mkdir --parents "${file%/*}" || return 1
  # a caller that checks the result disables `set -e` in this function
  # each process writes its own temporary file
  local new=$file.$BASHPID
  if printf '%s\n' "$text" >"$new" && chmod "$2" "$new" && mv --force "$new" "$file"; then
    return 0
  fi
  # on a full disk, partial files would remain
  rm --force "$new"
  return 1
}

# installed PROGRAM: whether the node has it
installed() { command -v "$1" >/dev/null 2>&1; }

# step FUNCTION...: run an optional step; if it fails, print a warning and continue
step() { "$@" || warn "$1 did not finish"; }

# lookup TABLE KEY: print the value of KEY in a list of KEY=VALUE pairs, if it has one
lookup() {
  local pair
  for pair in $1; do
    [[ ${pair%%=*} != "$2" ]] || printf '%s\n' "${pair#*=}"
  done
}

# each_line LINES COMMAND...: run the command with the fields of each line as arguments
each_line() {
  local lines=$1 words
  shift
  while IFS=' ' read -r -u 3 -a words; do
    ((${#words[@]} == 0)) || "$@" "${words[@]}"
  done 3<<<"$lines"
}
