#!/usr/bin/env bash
# Slurm runs this as root on every node of a job after it has ended. An unhealthy node is drained.
set -euo pipefail
exec /bin/bash "${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}/boot.sh" job
