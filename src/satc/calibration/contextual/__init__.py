"""P(label | score, context): a boosted model of pairs, fitted on out-of-fold scores."""
