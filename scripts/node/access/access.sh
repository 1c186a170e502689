#!/usr/bin/env bash
# Makes this node's accounts what the cluster's list of people says, now: a timer runs it, and anybody may as root. With
# `show` it says what the node knows of them.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
for part in library.sh settings.env access-library.sh access-settings.env; do
  # shellcheck source=/dev/null
  source "$here/$part"
done

case ${1:-apply} in
  apply) follow_people ;;
  show) show_people ;;
  *)
    echo "usage: access.sh apply|show" >&2
    exit 2
    ;;
esac
