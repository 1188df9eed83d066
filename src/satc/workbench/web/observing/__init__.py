"""What an administrator can observe: health, metrics, and the log of requests."""
