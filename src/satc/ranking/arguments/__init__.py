"""The arguments of a ranking, before they are checked."""
