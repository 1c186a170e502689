#!/usr/bin/env bash
# Spare nodes of a partition: a Slurm reservation that only root can use. It has one node less for each failed node, so
# that the number of nodes for jobs does not change, and grows again when nodes are repaired.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"

# members PARTITION: print its nodes, each with `out` if it cannot run jobs, else `well`
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

# held NAME: number of nodes of a reservation; 0 if it does not exist
held() {
  local found
  found=$(timeout 30 scontrol --oneliner show reservation "$1" 2>/dev/null | sed --quiet --regexp-extended 's/.* NodeCnt=([0-9]+).*/\1/p')
  echo "${found:-0}"
}

# hold PARTITION COUNT: the first healthy node of the partition updates the reservation. Running jobs on its nodes
# continue, new jobs do not start, and Slurm replaces a node that fails. The reservation has the flag OVERLAP: without
# it, Slurm finds no nodes if a later reservation, such as the calendar's, has all of them.
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
    timeout 30 scontrol delete "reservationname=$name" || warn "the spare nodes of $1 could not be released"
  elif ((there == 0)); then
    timeout 30 scontrol create reservation "reservationname=$name" starttime=now duration=UNLIMITED "nodecnt=$wanted" \
      "partitionname=$1" users=root flags=IGNORE_JOBS,OVERLAP,REPLACE_DOWN >/dev/null || warn "spare nodes of $1 could not be reserved"
  else
    timeout 30 scontrol update "reservationname=$name" "nodecnt=$wanted" || warn "the number of spare nodes of $1 could not be changed from $there"
  fi
  say "spare nodes of $1: $wanted of $2, $out nodes are out of service"
}

# install_spares FOLDER
install_spares() {
  cp --force "$1/spares.sh" "$SCRIPTS/spares.sh"
  write_unit ultracluster-spares.service <<'UNIT'
[Unit]
Description=ultracluster: reservation of spare nodes
After=ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=5min
ExecStart=-/bin/bash /opt/ultracluster/spares.sh hold
UNIT
  write_unit ultracluster-spares.timer <<'UNIT'
[Unit]
Description=ultracluster: reservation of spare nodes, every two minutes

[Timer]
OnBootSec=3min
OnUnitActiveSec=2min
RandomizedDelaySec=20s

[Install]
WantedBy=timers.target
UNIT
  systemctl daemon-reload
  systemctl enable --now ultracluster-spares.timer || warn "spare nodes are not reserved"
}

case ${1:-} in
  hold) each_line "$SPARE_NODES" hold ;;
  install) step install_spares "$here" ;;
  *)
    echo "usage: spares.sh hold|install" >&2
    exit 2
    ;;
esac
