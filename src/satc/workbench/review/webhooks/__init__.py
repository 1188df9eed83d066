"""Send the messages of webhooks, and watch when projects are finished or have an alarm."""
