"""What a plugin of each kind must do, checked when it is loaded (docs/howto/plugins.md).

The contract of a method is in `satc.ranking.rivals.plugins`, because it needs documents.
"""
