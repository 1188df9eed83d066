"""A new project: computed first, then stored in short transactions."""
