"""Operations and behaviour added to moto's services."""
