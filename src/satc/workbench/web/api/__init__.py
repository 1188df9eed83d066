"""The HTTP API: what the page, and any program with a token, can ask for."""
