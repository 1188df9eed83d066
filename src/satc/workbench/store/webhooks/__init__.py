"""Webhooks in the database: the addresses, and the messages that wait to be sent."""
