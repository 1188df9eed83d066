"""People who may log in: users with their tokens, and invitations."""
