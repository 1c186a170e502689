#!/usr/bin/env bash
# Slurm runs this as root on every node of a job after it has ended, in clusters with metrics: it removes the job id
# from the metrics of the job's GPUs, and drains an unhealthy node.
set -euo pipefail
scripts=${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}
/bin/bash "$scripts/metrics.sh" ends || true
exec /bin/bash "$scripts/boot.sh" job
