"""Work on an open project: hand out documents, take decisions, estimate accuracy."""
