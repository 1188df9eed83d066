"""The parts of a project: settings, events, and the record that follows from the events."""
