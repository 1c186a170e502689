# shellcheck shell=bash
# Checkpoints are few large files: the larger the file, the more servers share it. A layout holds for new files only, so
# it is given once, and a directory that somebody gave another one keeps it.

STRIPING=(-E 100M -c 1 -E 10G -c 8 -E -1 -c -1)
STRIPED="104857600:1 10737418240:8 EOF:-1"

# layout_of DIRECTORY: where each part of its default layout ends, and over how many servers it goes
layout_of() {
  lfs getstripe --directory "$1" 2>/dev/null |
    awk '/lcme_extent.e_end:/ {end = $2} /stripe_count:/ {printf "%s%s:%s", (n++ ? " " : ""), end, $2}'
}

# stripe DIRECTORY ROOT: of the file system with that root
stripe() {
  local directory=$ROOT$1 layout
  if ! mkdir --parents "$directory"; then
    warn "$1 could not be made"
    return 0
  fi
  layout=$(layout_of "$directory")
  if [[ $layout == "$STRIPED" ]]; then
    say "$1 has its striping"
  elif [[ -n $layout && $layout != "$(layout_of "$ROOT$2")" ]]; then
    say "$1 keeps the striping that it was given: $layout"
  elif lfs setstripe "${STRIPING[@]}" "$directory"; then
    say "$1 is striped"
  else
    warn "$1 keeps the default striping"
  fi
}

# stripe_checkpoints: by the controller where Slurm runs on one, else by whichever node finds it undone
stripe_checkpoints() {
  [[ $STRIPED_BY == any ]] || systemctl is-active --quiet slurmctld || return 0
  each_line "$LUSTRE_STRIPED_PATHS" stripe
}
