#!/usr/bin/env bash
# Keeps nodes of a partition free for those that fail: a reservation of Slurm's that nobody but root may use. It gets
# smaller by each node that is out, so that jobs have as many nodes as before, and larger again when nodes come back.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

# members PARTITION: its nodes, each with `out` where it takes no jobs, else `well`
members() {
  timeout 30 scontrol --oneliner show node 2>/dev/null | awk -v wanted="$1" '
    {name = state = parts = ""
     for (i = 1; i <= NF; i++) {
       if ($i ~ /^NodeName=/) name = substr($i, 10)
       if ($i ~ /^State=/) state = substr($i, 7)
       if ($i ~ /^Partitions=/) parts = "," substr($i, 12) ","
     }
     if (index(parts, "," wanted ",")) print name, (state ~ /DOWN|DRAIN|FAIL|INVAL|NOT_RESPONDING|POWER|REBOOT|UNKNOWN|\*/ ? "out" : "well")}'
}

# held NAME: nodes of a reservation; 0 where there is none
held() {
  local found
  found=$(timeout 30 scontrol --oneliner show reservation "$1" 2>/dev/null | sed --quiet --regexp-extended 's/.* NodeCnt=([0-9]+).*/\1/p')
  echo "${found:-0}"
}

# hold PARTITION COUNT: the first of its nodes that is well does it for all. Jobs that run on nodes of the reservation end
# there, and no other starts; a node of it that fails is exchanged for one that is free. It overlaps: without that Slurm
# finds it no nodes where a later reservation has all of them, such as the calendar's.
hold() {
  local nodes first out wanted there name=ultracluster-spare-$1
  nodes=$(members "$1") || return 0
  first=$(awk '$2 == "well" {print $1; exit}' <<<"$nodes")
  [[ -n $first && $first == "$(slurm_node)" ]] || return 0
  out=$(grep --count ' out$' <<<"$nodes") || true
  wanted=$(($2 > out ? $2 - out : 0))
  there=$(held "$name")
  ((wanted != there)) || return 0
  if ((wanted == 0)); then
    timeout 30 scontrol delete "reservationname=$name" || warn "spare nodes of $1 are not released"
  elif ((there == 0)); then
    timeout 30 scontrol create reservation "reservationname=$name" starttime=now duration=UNLIMITED "nodecnt=$wanted" \
      "partitionname=$1" users=root flags=IGNORE_JOBS,OVERLAP,REPLACE_DOWN >/dev/null || warn "no nodes of $1 are kept spare"
  else
    timeout 30 scontrol update "reservationname=$name" "nodecnt=$wanted" || warn "spare nodes of $1 stay $there"
  fi
  say "spare nodes of $1: $wanted of $2, with $out nodes out"
}

# install_spares FOLDER
install_spares() {
  cp --force "$1/spares.sh" "$SCRIPTS/spares.sh"
  write_unit ultracluster-spares.service <<'UNIT'
[Unit]
Description=ultracluster: nodes are kept spare for those that fail
After=ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=5min
ExecStart=-/bin/bash /opt/ultracluster/spares.sh hold
UNIT
  write_unit ultracluster-spares.timer <<'UNIT'
[Unit]
Description=ultracluster: spare nodes are looked at every two minutes

[Timer]
OnBootSec=3min
OnUnitActiveSec=2min
RandomizedDelaySec=20s

[Install]
WantedBy=timers.target
UNIT
  systemctl daemon-reload
  systemctl enable --now ultracluster-spares.timer || warn "no nodes are kept spare"
}

case ${1:-} in
  hold) each_line "$SPARE_NODES" hold ;;
  install) step install_spares "$here" ;;
  *)
    echo "usage: spares.sh hold|install" >&2
    exit 2
    ;;
esac
