"""Backups: consistent copies of a store while others write to it, and their way back."""
