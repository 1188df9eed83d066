"""The part of the API about near-duplicates."""
