"""The writer of a project: a thread that runs the actions of people, and commits in groups."""
