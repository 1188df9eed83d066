"""Experiments: the protocol of the paper, its published figures, and ours beside them."""
