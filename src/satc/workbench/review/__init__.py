"""Work on an open project: lease documents, save decisions, estimate accuracy."""
