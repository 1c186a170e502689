#!/usr/bin/env bash
# Slurm runs this as root on every node of a job, before it starts. Where the node is not well, the node is taken out
# with its reason and the job is queued again, for other nodes. Slurm's commands can hold up slurmctld and do not belong
# into a prolog (slurm.schedmd.com/prolog_epilog.html), so a node that is well uses none that waits long.
set -euo pipefail
exec /bin/bash "${ULTRACLUSTER_SCRIPTS:-/opt/ultracluster}/boot.sh" job
