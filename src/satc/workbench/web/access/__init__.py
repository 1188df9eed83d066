"""Who may use the server: accounts, passwords, invitations, and who sends a request."""
