"""Webhooks without a database and without a network: addresses, networks, messages, signatures."""
