"""Groups of machines: how they are bought, reserved, rotated and kept spare: their resource types."""
