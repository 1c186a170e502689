# shellcheck shell=bash
# DCGM exporter, as the container that NVIDIA releases. Only one program at a time can profile a GPU, so it does not run
# if another exporter runs (NVIDIA/dcgm-exporter #126, #330).

DCGM_CONTAINER=ultracluster-dcgm-exporter

# other_dcgm: print the name of another DCGM exporter on this node: HyperPod's exporter or the driver package's service
other_dcgm() {
  local names
  names=$(timeout 30 docker ps --format '{{.Names}} {{.Image}}' 2>/dev/null | awk -v own="$DCGM_CONTAINER" '$1 != own && /dcgm[-_]exporter/ {print $1; exit}')
  if [[ -n $names ]]; then
    echo "container $names"
  elif systemctl is-active --quiet nvidia-dcgm-exporter.service; then
    echo nvidia-dcgm-exporter.service
  fi
}

# may_run_dcgm: check before each start of the service
may_run_dcgm() {
  local other
  other=$(other_dcgm)
  [[ -z $other ]] || { warn "$other already exports DCGM metrics: the exporter is not started" && return 1; }
}

# dcgm_image: from the registry by its name, or from the downloads as an archive of `docker save`
dcgm_image() {
  ! docker image inspect "$DCGM_IMAGE" >/dev/null 2>&1 || return 0
  local file=$STATE/dcgm-exporter.tar.gz archive
  archive=$(lookup "$DCGM_ARCHIVES" "$(uname --machine)")
  [[ -n $archive ]] || return 0
  if get "$archive" "$file" && docker load --input "$file" >/dev/null; then
    rm --force "$file"
  else
    warn "$archive could not be loaded: retrying later"
    return 1
  fi
}

# dcgm_command DOCKER COUNTERS: profiling needs SYS_ADMIN, and 8 GPUs need more memory than the default of 512 MiB
# (NVIDIA/dcgm-exporter #609)
dcgm_command() {
  local right=''
  [[ $DCGM_PROFILING != true ]] || right="--cap-add SYS_ADMIN "
  printf '%s run --rm --name %s --gpus all --network host %s\\\n' "$1" "$DCGM_CONTAINER" "$right"
  printf '  --memory 1g --memory-swap 1g --cpu-shares 128 --pids-limit 512 --env GOMAXPROCS=2 --env GOMEMLIMIT=900MiB \\\n'
  printf '  --log-driver json-file --log-opt max-size=10m --log-opt max-file=2 \\\n'
  printf '  --volume /opt/ultracluster/%s:/etc/dcgm-exporter/ultracluster.csv:ro \\\n' "$2"
  printf '  --volume /run/slurm/dcgm-job-mapping:/run/slurm/dcgm-job-mapping:ro \\\n'
  printf '  %s -f /etc/dcgm-exporter/ultracluster.csv -a 127.0.0.1:9400 \\\n' "$DCGM_IMAGE"
  printf '  -c %s --hpc-job-mapping-dir /run/slurm/dcgm-job-mapping' "$((METRICS_INTERVAL_S * 1000))"
}

# dcgm_exporter: run the exporter on nodes with GPUs, if the AMI has Docker
dcgm_exporter() {
  local architecture
  architecture=$(lookup "$DCGM_ARCHITECTURES" "$MACHINE_TYPE")
  [[ -n $architecture ]] || return 0
  if ! installed docker; then
    warn "the AMI has no Docker: DCGM metrics are not available"
    return 0
  fi
  if [[ -n $(other_dcgm) ]]; then
    warn "$(other_dcgm) already exports DCGM metrics: the exporter is stopped"
    end_service dcgm-exporter
    return 0
  fi
  dcgm_image || return 0
  run_service dcgm-exporter 256 "ExecCondition=/bin/bash /opt/ultracluster/metrics.sh may-run-dcgm
ExecStartPre=/bin/mkdir --parents /run/slurm/dcgm-job-mapping
ExecStartPre=-$(command -v docker) rm --force $DCGM_CONTAINER
ExecStop=-$(command -v docker) stop --time 10 $DCGM_CONTAINER
TimeoutStopSec=30" "$(dcgm_command "$(command -v docker)" "dcgm-$architecture.csv")"
}
