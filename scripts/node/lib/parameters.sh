# shellcheck shell=bash
# Values that are only known after the deployment. The scripts are named after their content, so they contain the names
# of SSM parameters, and the node reads the values.

# parameter NAME: print its value; retries, because the role's permissions can take effect later
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
