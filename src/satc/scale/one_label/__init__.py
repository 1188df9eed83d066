"""Stored scores of a task in which every document has exactly one label.

The label of a document is the arg max of a value over its stored pairs. Engines compute it together
with the sums of the document (`documents`). The rule of labels that are chosen for a measure is
found in a few rounds over all documents (`rounds`).
"""
