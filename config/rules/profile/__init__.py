"""Rules about a profile as a whole and its control plane."""
