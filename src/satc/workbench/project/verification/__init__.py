"""Verify a stored project: digests, the replay of its log, shapes of arrays, the search index."""
