"""Labelled documents under a code book."""
