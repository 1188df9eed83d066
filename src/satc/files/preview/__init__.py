"""A look into a user's file before it is used: format, first rows, guessed columns, counts."""
