"""Groups of machines: how they are bought, reserved, rotated and kept spare: what moto lacks of them."""
