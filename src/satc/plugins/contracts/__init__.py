"""What a plugin of each kind must do, checked when it is loaded (docs/howto/plugins.md)."""
