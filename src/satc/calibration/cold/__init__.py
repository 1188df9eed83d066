"""Probabilities where no true label is known at first: a prior, then what people decide."""
