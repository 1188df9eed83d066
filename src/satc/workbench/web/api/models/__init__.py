"""The bodies of requests and responses, one module per resource."""
