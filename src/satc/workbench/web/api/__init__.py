"""The HTTP API, version 1: the page uses it, and so can any program that has a token."""
