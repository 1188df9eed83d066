"""The contextual methods over stored scores: the fitted model is applied in Arrow batches."""
