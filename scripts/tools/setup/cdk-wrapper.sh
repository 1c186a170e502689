#!/bin/sh
# Runs the pinned CDK CLI with the pinned Node, whatever is on PATH.
# make copies this file to .venv/bin/cdk; change scripts/tools/setup/cdk-wrapper.sh instead.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 2
JSII_NODE=${JSII_NODE:-$root/.venv/bin/node}
export JSII_NODE
exec "$root/.venv/bin/node" "$root/node_modules/aws-cdk/bin/cdk" "$@"
