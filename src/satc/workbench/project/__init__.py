"""Create a stored project, open it, replay its history and certify its labels."""
