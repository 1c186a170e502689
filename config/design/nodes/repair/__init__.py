"""Design of node repair: the policy, and its form for each control plane."""
