"""What the machine gives to this process."""
