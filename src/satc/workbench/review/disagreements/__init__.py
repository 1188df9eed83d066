"""Disagreements of people: the queue to settle them, and how well people agree."""
