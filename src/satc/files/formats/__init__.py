"""One module for each file format: how rows are read from it and written to it."""
