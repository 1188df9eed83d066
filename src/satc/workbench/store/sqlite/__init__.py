"""SQLite: its connections, the file of a store, and the write-ahead log of that file."""
