"""Texts to predictions: train a learner on labelled texts, classify new ones, rank them."""
