"""Behind a proxy: the path below which the server is served, and proxies that are believed."""
