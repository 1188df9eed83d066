"""Files of a two-stage review: the costs of wrong actions, and the answers of the reviewers."""
