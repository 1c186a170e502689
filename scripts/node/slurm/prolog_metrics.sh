#!/usr/bin/env bash
# Slurm runs this as root on every node of a job, before it starts, where a cluster collects metrics: as prolog.sh says,
# and the metrics of the job's GPUs carry its number.
set -euo pipefail
scripts=${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}
/bin/bash "$scripts/boot.sh" job
/bin/bash "$scripts/metrics.sh" starts || true
