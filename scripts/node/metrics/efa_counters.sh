# shellcheck shell=bash
# Counters of EFA devices, as files for node_exporter's textfile collector: its own collectors read none of them
# (prometheus/node_exporter#3670). Names are those of AWS's exporter (awsome-distributed-ai: 3.efa-node-exporter), and
# only those that it fills (#895); retrans_*, impaired_* and unresponsive_* need a recent driver, and what a driver does
# not show is absent, since zero would say that nothing was lost.

TEXTFILES=$ROOT/var/lib/node_exporter/textfile_collector

# Amazon's number among vendors of PCI devices
AMAZON=0x1d0f

EFA_COUNTERS="
impaired_remote_conn_events rdma_read_bytes rdma_read_resp_bytes rdma_read_wr_err rdma_read_wrs rdma_write_bytes
rdma_write_recv_bytes rdma_write_wr_err rdma_write_wrs recv_bytes recv_wrs retrans_bytes retrans_pkts
retrans_timeout_events rx_bytes rx_drops rx_pkts send_bytes send_wrs tx_bytes tx_pkts unresponsive_remote_events"
EFA_GAUGES=lifespan

# write_textfile NAME: with the time of now, although nothing has changed: whoever watches it sees that it is kept. One
# that could not be written keeps its old time, or nobody would see that its counters stand still
write_textfile() {
  local file=$TEXTFILES/$1.prom text
  text=$(</dev/stdin)
  write_file "$file" 0644 <<<"$text" || { [[ $(<"$file") == "$text" ]] && touch "$file"; }
}

# amazon_devices: RDMA devices of that vendor
amazon_devices() {
  local device vendor
  for device in "$ROOT"/sys/class/infiniband/*; do
    { read -r vendor <"$device/device/vendor"; } 2>/dev/null || continue
    [[ $vendor != "$AMAZON" ]] || printf '%s\n' "${device##*/}"
  done
}

# efa_series NAME TYPE DEVICES
efa_series() {
  local device file value port lines=''
  for device in $3; do
    for file in "$ROOT/sys/class/infiniband/$device"/ports/*/hw_counters/"$1"; do
      { read -r value <"$file"; } 2>/dev/null || continue
      [[ $value =~ ^[0-9]+$ ]] || continue
      port=${file%/hw_counters/*}
      lines+="node_amazonefa_$1{device=\"$device\",port=\"${port##*/}\"} $value"$'\n'
    done
  done
  [[ -z $lines ]] || printf '# TYPE node_amazonefa_%s %s\n%s' "$1" "$2" "$lines"
}

# write_efa_counters: whole or not at all, so that no exporter reads half of it
write_efa_counters() {
  local devices name
  devices=$(amazon_devices)
  if [[ -z $devices ]]; then
    rm --force "$TEXTFILES/ultracluster_efa.prom"
    return 0
  fi
  {
    for name in $EFA_COUNTERS; do efa_series "$name" counter "$devices"; done
    for name in $EFA_GAUGES; do efa_series "$name" gauge "$devices"; done
    echo "# TYPE node_amazonefa_info gauge"
    # shellcheck disable=SC2086 # one line for each
    printf 'node_amazonefa_info{device="%s"} 1\n' $devices
  } | write_textfile ultracluster_efa
}
