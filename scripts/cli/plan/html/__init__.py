"""A plan as one page of HTML that asks for nothing beside itself."""
