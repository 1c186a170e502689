"""The design that follows from a profile: sizes, addresses, names, scripts, prices."""
