"""What is counted in texts, and what speaks for and against a label."""
