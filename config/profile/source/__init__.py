"""Reading a profile: YAML with positions, `extends`, merging, shape, references."""
