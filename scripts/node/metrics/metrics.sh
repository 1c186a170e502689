#!/usr/bin/env bash
# Metrics steps of a node: `files` writes metrics that exporters do not have, `keep` starts the exporters and the agent,
# and `starts` and `ends` run before and after every job. Errors here do not affect jobs.
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
