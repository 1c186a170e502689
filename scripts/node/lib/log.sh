# shellcheck shell=bash
# What every other part stands on: messages, waits, and where the node's files are.

# another root than / is for tests
ROOT=${ULTRACLUSTER_ROOT:-}
# shellcheck disable=SC2034 # the other parts use it
STATE=$ROOT/var/lib/ultracluster

now() { TZ=UTC0 printf '%(%FT%TZ)T' -1; }
say() { TZ=UTC0 printf '%(%FT%TZ)T ultracluster: %s\n' -1 "$*"; }
warn() { say "warning: $*"; }

fail() {
  say "error: $*"
  sync
  sleep "${ULTRACLUSTER_WAIT_S:-60}" # the service reads the log once more before the node is gone
  exit 1
}

# log_to FILE: say everything there too
log_to() {
  if mkdir --parents "$(dirname -- "$1")" && touch "$1"; then
    exec > >(tee --append "$1") 2>&1
  fi
}

# wait_for SECONDS COMMAND...: true as soon as the command succeeds; ULTRACLUSTER_WAIT_S shortens every wait
wait_for() {
  local deadline=$((SECONDS + ${ULTRACLUSTER_WAIT_S:-$1}))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 5
  done
}

# write_file FILE MODE: what comes on standard input, written whole or not at all; false where FILE had it already
write_file() {
  local file=$1 text
  text=$(</dev/stdin)
  [[ ! -f $file || $(<"$file") != "$text" ]] || return 1
  [[ -d ${file%/*} ]] || mkdir --parents "${file%/*}" || return 1
  # whoever asks whether it was written turns `set -e` off in here
  # several may write at once, each its own
  local new=$file.$BASHPID
  if printf '%s\n' "$text" >"$new" && chmod "$2" "$new" && mv --force "$new" "$file"; then
    return 0
  fi
  # on a full disk a part of it would stay, another one at each try
  rm --force "$new"
  return 1
}

# installed PROGRAM: whether the node has it
installed() { command -v "$1" >/dev/null 2>&1; }

# step FUNCTION...: what makes a node faster or easier to run; where it fails, the node goes on without
step() { "$@" || warn "$1 did not finish"; }

# lookup TABLE KEY: the value of KEY in a table of KEY=VALUE words, or nothing
lookup() {
  local pair
  for pair in $1; do
    [[ ${pair%%=*} != "$2" ]] || printf '%s\n' "${pair#*=}"
  done
}

# each_line LINES COMMAND...: the command with the words of each line
each_line() {
  local lines=$1 words
  shift
  while IFS=' ' read -r -u 3 -a words; do
    ((${#words[@]} == 0)) || "$@" "${words[@]}"
  done 3<<<"$lines"
}
