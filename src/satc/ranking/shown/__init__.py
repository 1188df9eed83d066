"""A ranking as a data frame, and as a table in a notebook."""
