# shellcheck shell=bash
# Counters of EFA devices, as files for node_exporter's textfile collector, because its other collectors do not read
# these counters (prometheus/node_exporter#3670). The names are those of AWS's exporter (awsome-distributed-ai:
# 3.efa-node-exporter, #895). retrans_*, impaired_* and unresponsive_* need a recent driver. A counter that the driver
# does not have is missing, because zero would mean that no packet was lost.

TEXTFILES=$ROOT/var/lib/node_exporter/textfile_collector

# Amazon's PCI vendor id
AMAZON=0x1d0f

EFA_COUNTERS="
impaired_remote_conn_events rdma_read_bytes rdma_read_resp_bytes rdma_read_wr_err rdma_read_wrs rdma_write_bytes
rdma_write_recv_bytes rdma_write_wr_err rdma_write_wrs recv_bytes recv_wrs retrans_bytes retrans_pkts
retrans_timeout_events rx_bytes rx_drops rx_pkts send_bytes send_wrs tx_bytes tx_pkts unresponsive_remote_events"
EFA_GAUGES=lifespan

# write_textfile NAME: write the file, or update its time if it did not change, so that alerts see that the file is
# current. If it could not be written, its time does not change, so that an alert fires
write_textfile() {
  local file=$TEXTFILES/$1.prom text
  text=$(</dev/stdin)
  write_file "$file" 0644 <<<"$text" || { [[ $(<"$file") == "$text" ]] && touch "$file"; }
}

# amazon_devices: RDMA devices of Amazon
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

# write_efa_counters: write the file completely or not at all, so that an exporter does not read a part of it
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
