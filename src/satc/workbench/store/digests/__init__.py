"""Digests of everything that cannot be computed again, written together with it.

A document, its rank, an array part, the classes and the settings have a SHA-256 digest each. Events
are a chain: the digest of each one covers the digest before it.
"""
