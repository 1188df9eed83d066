"""Rank texts without a project: train a learner on labelled texts, classify and rank new ones."""
