"""Similar training documents as a second opinion on a label."""
