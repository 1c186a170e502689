#!/usr/bin/env bash
# ParallelCluster runs this on the configured head node: job_hooks.sh prolog=/path/a.sh epilog=/path/b.sh links programs
# of the nodes into the shared folders that its own prolog and epilog run.
set -euo pipefail
for hook in "$@"; do
  kind=${hook%%=*}
  program=${hook#*=}
  if [[ $kind != prolog && $kind != epilog ]] || [[ $program != /* ]]; then
    echo "job_hooks.sh: $hook is neither prolog=/PATH nor epilog=/PATH" >&2
    exit 1
  fi
  folder=${SLURM_SCRIPTS:-/opt/slurm/etc/scripts}/$kind.d
  mkdir --parents "$folder"
  ln --symbolic --force --no-dereference "$program" "$folder/90_ultracluster"
done
