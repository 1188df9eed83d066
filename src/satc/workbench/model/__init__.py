"""What a project is made of: settings, events, and the record that the events add up to."""
