#!/usr/bin/env bash
# Slurm runs this as root on every node of a job, after it has ended, where a cluster collects metrics: its GPUs' metrics
# carry its number no more, and a node that the job left broken takes no other.
set -euo pipefail
scripts=${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}
/bin/bash "$scripts/metrics.sh" ends || true
exec /bin/bash "$scripts/boot.sh" job
