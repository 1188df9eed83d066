"""What a person writes to make a new project: its settings, and which files go together."""
