"""Functions that build response bodies, one module per resource."""
