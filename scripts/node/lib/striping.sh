# shellcheck shell=bash
# Striping of checkpoint directories: larger files are striped over more servers. A layout applies to new files only, so
# it is set once, and a directory with another layout keeps it.

STRIPING=(-E 100M -c 1 -E 10G -c 8 -E -1 -c -1)
STRIPED="104857600:1 10737418240:8 EOF:-1"

# layout_of DIRECTORY: the end and the stripe count of each part of its default layout
layout_of() {
  lfs getstripe --directory "$1" 2>/dev/null |
    awk '/lcme_extent.e_end:/ {end = $2} /stripe_count:/ {printf "%s%s:%s", (n++ ? " " : ""), end, $2}'
}

# stripe DIRECTORY ROOT: set the layout of a directory; ROOT is the root of its file system
stripe() {
  local directory=$ROOT$1 layout
  if ! mkdir --parents "$directory"; then
    warn "$1 could not be created"
    return 0
  fi
  layout=$(layout_of "$directory")
  if [[ $layout == "$STRIPED" ]]; then
    say "$1 is already striped"
  elif [[ -n $layout && $layout != "$(layout_of "$ROOT$2")" ]]; then
    say "$1 keeps its existing striping: $layout"
  elif lfs setstripe "${STRIPING[@]}" "$directory"; then
    say "$1 is striped"
  else
    warn "$1 keeps the default striping"
  fi
}

# stripe_checkpoints: run by the Slurm controller if it is a node of the cluster, otherwise by any node
stripe_checkpoints() {
  [[ $STRIPED_BY == any ]] || systemctl is-active --quiet slurmctld || return 0
  each_line "$LUSTRE_STRIPED_PATHS" stripe
}
