"""Writing whole projects: in short transactions, invisible until they are complete."""
