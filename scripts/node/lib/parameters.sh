# shellcheck shell=bash
# Values that are known only once the cluster is deployed: the scripts are named after their content, so they carry the
# names of parameters, and the node asks for the values.

# parameter NAME: its value; asked for again until the role's permissions have arrived
parameter() {
  local attempt value
  for attempt in 1 2 3 4 5 6; do
    if value=$(aws ssm get-parameter --region "$NODE_REGION" --name "$1" --query Parameter.Value --output text); then
      printf '%s\n' "$value"
      return 0
    fi
    ((attempt == 6)) || sleep $((attempt * 5))
  done
  return 1
}
