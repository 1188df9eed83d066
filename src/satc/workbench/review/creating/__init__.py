"""Projects that are created while the server works."""
