"""Groups of machines: how they are bought, reserved, rotated and kept spare: in the design."""
