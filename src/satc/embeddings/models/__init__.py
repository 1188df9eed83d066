"""Sentence models: where they are found, what their folders say, and how they are computed."""
