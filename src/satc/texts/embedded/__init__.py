"""Embeddings beside the words of a learner: vectors of a model, or of files.

Neighbours are then found by the vectors, and a linear classifier on them is a further opinion.
"""
