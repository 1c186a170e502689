#!/usr/bin/env bash
# Slurm runs this as root on every node of a job before it starts, in clusters with metrics: like prolog.sh, and it adds
# the job id to the metrics of the job's GPUs.
set -euo pipefail
scripts=${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}
/bin/bash "$scripts/boot.sh" job
/bin/bash "$scripts/metrics.sh" starts || true
