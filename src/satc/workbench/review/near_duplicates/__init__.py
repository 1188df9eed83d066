"""Documents that are nearly the same as one that was just decided."""
