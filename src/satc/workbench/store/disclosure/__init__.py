"""What people may read about a database: never its password, and over HTTP not its address."""
