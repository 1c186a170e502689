#!/usr/bin/env bash
# Slurm runs this as root on every node of a job before it starts. An unhealthy node is drained, and Slurm queues the
# job again. Slurm's commands add load to slurmctld and should not run in a prolog
# (slurm.schedmd.com/prolog_epilog.html), so a healthy node does not run them.
set -euo pipefail
exec /bin/bash "${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}/boot.sh" job
