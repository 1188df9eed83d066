"""Connections of clients: what one of them may cost in bytes, headers, sockets and time."""
