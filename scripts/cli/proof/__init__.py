"""Where the artefacts of a proof come from: synthesized for it, or what was synthesized before."""
