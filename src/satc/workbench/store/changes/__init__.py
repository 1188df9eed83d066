"""What one transaction changes in a project, sent to the database in a few statements."""
