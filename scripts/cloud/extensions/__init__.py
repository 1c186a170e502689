"""Operations and facts that moto's services lack, added to them so that every client sees them."""
