#!/usr/bin/env bash
# Updates the accounts on this node from the cluster's user list. A timer runs it, and root can run it manually. `show`
# prints the users and whether the node has their accounts.
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
