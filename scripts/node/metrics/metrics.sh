#!/usr/bin/env bash
# What a node does for its metrics, one step a call: `files` writes what no exporter reads, `keep` has the exporters and
# the agent as they should be; `starts` and `ends`, around every job. Nothing here keeps a node from its work.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/library.sh"
# shellcheck source=/dev/null
source "$here/settings.env"
# shellcheck source=/dev/null
source "$here/metrics-library.sh"
# shellcheck source=/dev/null
source "$here/metrics-settings.env"

case ${1:-} in
  files)
    learn_machine
    step write_efa_counters
    step write_kernel_xids
    ;;
  keep)
    learn_machine
    keep_metrics
    ;;
  may-run-dcgm) may_run_dcgm ;;
  starts) job_starts ;;
  ends) job_ends ;;
  *)
    echo "usage: metrics.sh files|keep|may-run-dcgm|starts|ends" >&2
    exit 2
    ;;
esac
