"""Full-text search over the ids and texts of documents, the same on SQLite and on PostgreSQL."""
