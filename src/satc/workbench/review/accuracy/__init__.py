"""The accuracy of a project: the live estimate, the forecast, and what both mean for the work."""
