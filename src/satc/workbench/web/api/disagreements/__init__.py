"""The part of the API about disagreements and agreement."""
