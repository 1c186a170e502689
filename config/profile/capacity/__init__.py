"""Profile keys for node groups, purchase options and the calendar of reservations."""
