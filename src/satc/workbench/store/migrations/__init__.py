"""Named, ordered, transactional steps from an empty database to the present tables."""
