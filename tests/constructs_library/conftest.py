"""Settings that must precede the first use of the jsii kernel."""

import os

# the validator that runs at every synthesis takes longer than all of these tests; cfn-lint checks more
os.environ.setdefault("CDK_VALIDATION", "false")
