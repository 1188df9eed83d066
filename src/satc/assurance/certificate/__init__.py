"""The certificate: lower bounds on accuracy from a random audit, without any model."""
